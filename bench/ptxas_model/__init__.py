# SPDX-License-Identifier: Apache-2.0

"""The parts of bench/fit_ptxas_model.py.

samples  compiles kernels under many option sets: their features, and what ptxas reports
fitting  fits, writes the table and prints how well the model does
model    what is fitted and predicted, and the choices that follow
trees    fits regression trees
table    writes the table that the library reads
"""
