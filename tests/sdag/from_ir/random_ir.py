#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes random LLVM IR, and compares what ptxmir's code of it computes with llc's.

usage: random_ir.py [--seed=0] [--count=20] [--kernels=10] [--ptxas=PTXAS] [--keep=FOLDER] [--print]

Each seed is a file with some kernels. All that they compute is defined: shifts are by less than the width, divisors are
not 0, flags are stated where they hold, NaNs are replaced before they reach memory, and each thread has memory of its
own. llc-22 -O0 selects instructions for the file, and so does ptxmir at -O0 and -O2, after its passes on IR; kernels
run in the interpreter on generated inputs. Needs llc-22 and `bazel build //tests/sdag/from_ir:compare_with_mir`. Prints
the differences and what ptxmir refuses, with the seed. `--print` only writes the IR of the first seed.
"""

import argparse
import pathlib
import random
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]


def built(path):
    """Returns the program that Bazel built from a path. Bazel's tests run where its outputs are."""
    return ROOT / path if (ROOT / path).exists() else ROOT / "bazel-bin" / path


TOOL = built("tests/sdag/from_ir/compare_with_mir")
PTXMIR = built("tools/ptxmir")

INTEGERS = ["i1", "i8", "i16", "i32", "i64", "i7", "i24", "i33", "i128"]
FLOATS = ["half", "float", "double"]
VECTORS = ["<2 x i16>", "<4 x i8>", "<2 x i32>", "<3 x i32>", "<2 x float>", "<4 x float>", "<2 x half>", "<2 x double>"]
AGGREGATES = ["{ i32, float }", "[3 x i16]", "{ i8, { i64, half } }", "[2 x <2 x float>]"]
# Types that the input has in memory.
LOADED = ["i8", "i16", "i32", "i64", "half", "float", "double"]
THREAD_BYTES = 512

FUNNEL = ["fshl", "fshr"]
UNARY_INTRINSICS = ["ctpop", "bitreverse"]
BINARY_INTRINSICS = ["smin", "smax", "umin", "umax", "uadd.sat", "sadd.sat", "usub.sat", "ssub.sat"]
OVERFLOWS = ["uadd", "sadd", "usub", "ssub", "umul", "smul"]
FLOAT_UNARY = ["fabs", "floor", "ceil", "trunc", "rint"]
FLOAT_BINARY = ["minnum", "maxnum", "copysign"]


def elements_of(vector):
    count, element = vector[1:-1].split(" x ")
    return int(count), element


def members_of(aggregate):
    """Returns the types of the members of a structure or an array."""
    inside = aggregate[1:-1].strip()
    if aggregate[0] == "[":
        count, element = inside.split(" x ", 1)
        return [element] * int(count)
    members, depth, start = [], 0, 0
    for i, c in enumerate(inside + ","):
        depth += (c in "{[<") - (c in "}]>")
        if c == "," and depth == 0:
            members.append(inside[start:i].strip())
            start = i + 1
    return members


def bits_of(integer):
    return int(integer[1:])


def name_of(type_):
    """Returns the type as names of intrinsics have it."""
    if type_[0] == "<":
        count, element = elements_of(type_)
        return f"v{count}{name_of(element)}"
    return {"half": "f16", "float": "f32", "double": "f64"}.get(type_, type_)


class FunctionWriter:
    """The body of one function: its text so far, and the values that can be used."""

    def __init__(self, program, r):
        self.program = program
        self.r = r
        self.lines = []
        self.values = {}
        self.count = 0
        self.block = "entry"

    def fresh(self, prefix="v"):
        self.count += 1
        return f"{prefix}{self.count}"

    def emit(self, type_, text):
        name = "%" + self.fresh()
        self.lines.append(f"  {name} = {text}")
        self.values.setdefault(type_, []).append(name)
        return name

    def label(self, name):
        self.lines.append(f"{name}:")
        self.block = name

    def constant(self, type_):
        r = self.r
        if type_[0] == "i":
            bits = bits_of(type_)
            if bits == 1:
                return r.choice(["true", "false"])
            edges = [0, 1, -1, (1 << (bits - 1)) - 1, -(1 << (bits - 1)), r.randrange(0, 100)]
            return str(r.choice(edges + [r.randrange(-(1 << (bits - 1)), 1 << (bits - 1))]))
        if type_ in FLOATS:
            return r.choice(["0.0", "1.0", "-2.5", "0.5", "1024.0", "-0.0"])
        if type_[0] == "<":
            count, element = elements_of(type_)
            return "<" + ", ".join(f"{element} {self.constant(element)}" for _ in range(count)) + ">"
        return "zeroinitializer"

    def use(self, type_):
        """Returns a value of the type, which may be made for this."""
        r = self.r
        known = self.values.get(type_)
        if known and r.random() < 0.8:
            return r.choice(known[-8:] if r.random() < 0.6 else known)
        if r.random() < 0.3 or type_ in ("i1",) and not known and r.random() < 0.5:
            return self.constant(type_)
        return self.make(type_)

    def make(self, type_):
        """Computes a value of a type from values of other types."""
        r = self.r
        if type_ == "i1":
            other = r.choice(["i32", "i64", "i8"])
            return self.emit("i1", f"icmp slt {other} {self.use_any(other)}, {self.constant(other)}")
        if type_[0] == "i":
            source = r.choice(["i32", "i64"])
            if bits_of(type_) == bits_of(source):
                source = "i16"
            operation = "trunc" if bits_of(type_) < bits_of(source) else r.choice(["zext", "sext"])
            return self.emit(type_, f"{operation} {source} {self.use_any(source)} to {type_}")
        if type_ in FLOATS:
            return self.emit(type_, f"{r.choice(['sitofp', 'uitofp'])} i16 {self.use_any('i16')} to {type_}")
        if type_[0] == "<":
            count, element = elements_of(type_)
            value = "poison"
            for i in range(count):
                value = self.emit(type_ if i + 1 == count else "partial",
                                  f"insertelement {type_} {value}, {element} {self.use_any(element)}, i32 {i}")
            return value
        value = "poison"
        members = members_of(type_)
        for i, member in enumerate(members):
            value = self.emit(type_ if i + 1 == len(members) else "partial",
                              f"insertvalue {type_} {value}, {member} {self.use_any(member)}, {i}")
        return value

    def use_any(self, type_):
        known = self.values.get(type_)
        if known:
            return self.r.choice(known)
        return self.constant(type_) if type_[0] not in "[{" else self.make(type_)

    # Operations. Each adds a value.

    def integer_operation(self):
        r = self.r
        type_ = r.choice(INTEGERS[1:] + ["i32"] * 4 + ["<2 x i16>", "<2 x i32>", "<4 x i8>"])
        element = elements_of(type_)[1] if type_[0] == "<" else type_
        count = elements_of(type_)[0] if type_[0] == "<" else 0
        bits = bits_of(element)

        def splat(number):
            if count == 0:
                return str(number)
            return "<" + ", ".join([f"{element} {number}"] * count) + ">"

        kind = r.randrange(10)
        a = self.use(type_)
        if kind < 4:
            operation = r.choice(["add", "sub", "mul", "and", "or", "xor"])
            return self.emit(type_, f"{operation} {type_} {a}, {self.use(type_)}")
        if kind == 4:
            amount = self.emit(type_, f"urem {type_} {self.use(type_)}, {splat(bits)}" if bits & (bits - 1) else
                               f"and {type_} {self.use(type_)}, {splat(bits - 1)}")
            return self.emit(type_, f"{r.choice(['shl', 'lshr', 'ashr'])} {type_} {a}, {amount}")
        if kind == 5:
            low = self.emit(type_, f"and {type_} {self.use(type_)}, {splat((1 << (bits - 1)) - 1)}")
            divisor = self.emit(type_, f"or {type_} {low}, {splat(1)}")
            return self.emit(type_, f"{r.choice(['udiv', 'urem', 'sdiv', 'srem'])} {type_} {a}, {divisor}")
        if kind == 6 and count == 0 and bits > 2:
            # Flags that hold.
            x = self.emit(type_, f"lshr {type_} {a}, 2")
            y = self.emit(type_, f"lshr {type_} {self.use(type_)}, 2")
            return self.emit(type_, f"add nuw nsw {type_} {x}, {y}")
        if kind == 7:
            return self.emit(type_, f"shl {type_} {a}, {splat(r.randrange(bits))}")
        name = name_of(type_)
        if kind == 8:
            which = r.randrange(5)
            if which == 0:
                return self.call(type_, r.choice(FUNNEL), name, [(type_, a), (type_, self.use(type_)),
                                                                 (type_, self.use(type_))])
            if which == 1:
                return self.call(type_, r.choice(["ctlz", "cttz", "abs"]), name, [(type_, a), ("i1", "false")])
            if which == 2:
                return self.call(type_, r.choice(UNARY_INTRINSICS + (["bswap"] if bits % 16 == 0 else [])), name,
                                 [(type_, a)])
            return self.call(type_, r.choice(BINARY_INTRINSICS), name, [(type_, a), (type_, self.use(type_))])
        if count == 0:
            pair = f"{{ {type_}, i1 }}"
            both = self.call(pair, r.choice(OVERFLOWS) + ".with.overflow", name, [(type_, a), (type_, self.use(type_))])
            self.emit("i1", f"extractvalue {pair} {both}, 1")
            return self.emit(type_, f"extractvalue {pair} {both}, 0")
        return self.emit(type_, f"xor {type_} {a}, {self.use(type_)}")

    def call(self, type_, intrinsic, suffix, arguments):
        self.program.declare(f"declare {type_} @llvm.{intrinsic}.{suffix}({', '.join(t for t, _ in arguments)})")
        return self.emit(type_, f"call {type_} @llvm.{intrinsic}.{suffix}({', '.join(f'{t} {v}' for t, v in arguments)})")

    def float_operation(self):
        r = self.r
        type_ = r.choice(FLOATS + ["float"] * 3 + ["<2 x float>", "<2 x half>", "<4 x float>"])
        kind = r.randrange(6)
        a = self.use(type_)
        if kind < 3:
            return self.emit(type_, f"{r.choice(['fadd', 'fsub', 'fmul'])} {type_} {a}, {self.use(type_)}")
        if kind == 3:
            return self.emit(type_, f"fneg {type_} {a}")
        if kind == 4:
            return self.call(type_, r.choice(FLOAT_UNARY), name_of(type_), [(type_, a)])
        if r.random() < 0.4:
            return self.call(type_, "fma", name_of(type_), [(type_, a), (type_, self.use(type_)),
                                                            (type_, self.use(type_))])
        # What minnum makes of a NaN is a NaN only if both are.
        return self.call(type_, r.choice(FLOAT_BINARY), name_of(type_), [(type_, a), (type_, self.use(type_))])

    def comparison(self):
        r = self.r
        if r.random() < 0.6:
            type_ = r.choice(INTEGERS[1:])
            predicate = r.choice(["eq", "ne", "ult", "ule", "ugt", "uge", "slt", "sle", "sgt", "sge"])
            return self.emit("i1", f"icmp {predicate} {type_} {self.use(type_)}, {self.use(type_)}")
        type_ = r.choice(FLOATS)
        predicate = r.choice(["oeq", "one", "olt", "ole", "ogt", "oge", "ord", "uno", "ueq", "une", "ult", "ugt"])
        return self.emit("i1", f"fcmp {predicate} {type_} {self.use(type_)}, {self.use(type_)}")

    def choice(self):
        type_ = self.r.choice(INTEGERS + FLOATS + VECTORS + AGGREGATES)
        return self.emit(type_, f"select i1 {self.use('i1')}, {type_} {self.use(type_)}, {type_} {self.use(type_)}")

    def logic(self):
        r = self.r
        a, b = self.use("i1"), self.use("i1")
        form = r.randrange(4)
        if form == 0:
            return self.emit("i1", f"select i1 {a}, i1 true, i1 {b}")
        if form == 1:
            return self.emit("i1", f"select i1 {a}, i1 {b}, i1 false")
        return self.emit("i1", f"{r.choice(['and', 'or', 'xor'])} i1 {a}, {b}")

    def conversion(self):
        r = self.r
        if r.random() < 0.6:
            source, target = r.sample(INTEGERS, 2)
            operation = "trunc" if bits_of(target) < bits_of(source) else r.choice(["zext", "sext"])
            return self.emit(target, f"{operation} {source} {self.use(source)} to {target}")
        which = r.randrange(4)
        if which == 0:
            source, target = r.choice([("half", "float"), ("float", "double"), ("half", "double")])
            return self.emit(target, f"fpext {source} {self.use(source)} to {target}")
        if which == 1:
            source, target = r.choice([("float", "half"), ("double", "float")])
            return self.emit(target, f"fptrunc {source} {self.use(source)} to {target}")
        if which == 2:
            source, target = r.choice(["i8", "i16", "i32", "i64", "i1", "i24"]), r.choice(FLOATS)
            return self.emit(target, f"{r.choice(['sitofp', 'uitofp'])} {source} {self.use(source)} to {target}")
        source, target = r.choice([("float", "i32"), ("double", "i64"), ("float", "i64"), ("double", "i32")])
        return self.call(target, r.choice(["fptosi.sat", "fptoui.sat"]), f"{target}.{name_of(source)}",
                         [(source, self.use(source))])

    def vector_operation(self):
        r = self.r
        type_ = r.choice(VECTORS)
        count, element = elements_of(type_)
        which = r.randrange(3)
        if which == 0:
            return self.emit(element, f"extractelement {type_} {self.use(type_)}, i32 {r.randrange(count)}")
        if which == 1:
            index = r.randrange(count) if r.random() < 0.6 else None
            if index is None:
                at = self.emit("i32", f"urem i32 {self.use('i32')}, {count}")
                return self.emit(type_, f"insertelement {type_} {self.use(type_)}, {element} {self.use(element)}, i32 {at}")
            return self.emit(type_, f"insertelement {type_} {self.use(type_)}, {element} {self.use(element)}, i32 {index}")
        mask = ", ".join(f"i32 {r.randrange(2 * count)}" for _ in range(count))
        return self.emit(type_, f"shufflevector {type_} {self.use(type_)}, {type_} {self.use(type_)}, <{count} x i32> <{mask}>")

    def aggregate_operation(self):
        type_ = self.r.choice(AGGREGATES)
        members = members_of(type_)
        i = self.r.randrange(len(members))
        if self.r.random() < 0.5:
            member = members[i]
            return self.emit(member, f"extractvalue {type_} {self.use(type_)}, {i}")
        return self.emit(type_, f"insertvalue {type_} {self.use(type_)}, {members[i]} {self.use(members[i])}, {i}")

    def load(self):
        type_ = self.r.choice(LOADED)
        offset = 8 * self.r.randrange(THREAD_BYTES // 8)
        at = "%" + self.fresh("p")
        self.lines.append(f"  {at} = getelementptr i8, ptr %mine, i64 {offset}")
        return self.emit(type_, f"load {type_}, ptr {at}, align {self.r.choice([1, 2])}")

    def indexed_load(self):
        """Loads from an address that is a sum of small numbers, in one of the forms that front ends give it."""
        r = self.r
        type_ = r.choice(["i32", "i64"])
        base = self.emit(type_, f"and {type_} {self.use(type_)}, {r.choice([7, 12, 15])}")
        index = base
        for _ in range(r.randrange(3)):
            form = r.randrange(4)
            if form == 0:
                index = self.emit(type_, f"add nuw nsw {type_} {index}, {r.randrange(1, 12)}")
            elif form == 1:
                index = self.emit(type_, f"add nsw {type_} {self.emit(type_, f'and {type_} {self.use(type_)}, 15')}, {index}")
            elif form == 2:
                even = self.emit(type_, f"and {type_} {index}, -2")
                index = self.emit(type_, f"or disjoint {type_} {even}, 1")
            else:
                less = self.emit(type_, f"sub nsw {type_} {index}, {r.randrange(1, 4)}")
                index = self.emit(type_, f"call {type_} @llvm.smax.{type_}({type_} {less}, {type_} 0)")
                self.program.declare(f"declare {type_} @llvm.smax.{type_}({type_}, {type_})")
        if type_ == "i32" and r.random() < 0.8:
            flag = r.choice(["zext nneg", "zext", "sext"])
            index, type_ = self.emit("i64", f"{flag} i32 {index} to i64"), "i64"
        at = "%" + self.fresh("p")
        shape = r.randrange(3)
        if shape == 0:
            text = f"getelementptr inbounds i32, ptr %mine, {type_} {index}"
        elif shape == 1:
            text = f"getelementptr [2 x i32], ptr %mine, {type_} {index}, i64 {r.randrange(2)}"
        else:
            text = f"getelementptr inbounds {{ i16, i32 }}, ptr %mine, {type_} {index}, i32 1"
        self.lines.append(f"  {at} = {text}")
        if r.random() < 0.3:
            self.lines.append(f"  store i32 {self.use('i32')}, ptr {at}, align 4")
        return self.emit("i32", f"load i32, ptr {at}, align 4")

    def local_memory(self):
        """Stores to a place on the stack and loads from it, as another type of the size or an element."""
        r = self.r
        slot = "%" + r.choice(self.program.slots)
        index = self.emit("i64", f"and i64 {self.use('i64')}, 3")
        at = "%" + self.fresh("p")
        self.lines.append(f"  {at} = getelementptr i32, ptr {slot}, i64 {index}")
        if r.random() < 0.5:
            self.lines.append(f"  store i32 {self.use('i32')}, ptr {at}, align 4")
        return self.emit("i32", f"load i32, ptr {at}, align 4")

    def record(self):
        """Stores adjacent values, most of them constants, and loads one of them. A computed float may be a NaN, whose
        bits are not certain, and is not stored."""
        r = self.r
        slot = "%" + r.choice(self.program.slots)
        types = r.choice([["i32", "float"], ["i64", "double"], ["i16", "half"]])
        size = bits_of(types[0]) // 8
        first = size * r.randrange(16 // size - 1)
        last = r.randrange(first + size, 16, size)
        for offset in range(first, last + size, size):
            type_ = r.choice(types)
            value = self.constant(type_) if type_ in FLOATS or r.random() < 0.6 else self.use(type_)
            at = "%" + self.fresh("p")
            self.lines.append(f"  {at} = getelementptr i8, ptr {slot}, i64 {offset}")
            self.lines.append(f"  store {type_} {value}, ptr {at}, align {size}")
        return self.emit(types[0], f"load {types[0]}, ptr {at}, align {size}")

    def transfer(self):
        """Fills or copies stack objects."""
        r = self.r
        to, source = r.sample(self.program.slots, 2)
        size = r.choice([1, 3, 4, 8, 12, 16])
        if r.random() < 0.4:
            self.program.declare("declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)")
            self.lines.append(f"  call void @llvm.memset.p0.i64(ptr align 4 %{to}, i8 {self.use('i8')}, i64 {size}, i1 false)")
        else:
            kind = r.choice(["memcpy", "memmove"])
            self.program.declare(f"declare void @llvm.{kind}.p0.p0.i64(ptr, ptr, i64, i1)")
            self.lines.append(f"  call void @llvm.{kind}.p0.p0.i64(ptr align 4 %{to}, ptr align 4 %{source}, i64 {size}, i1 false)")
        return self.emit("i32", f"load i32, ptr %{to}, align 4")

    def atomic(self):
        """Changes memory of this thread alone, so that the result is certain."""
        r = self.r
        type_ = r.choice(["i32", "i64", "i32", "i64", "i16", "i8"])
        at = "%" + self.fresh("p")
        self.lines.append(f"  {at} = getelementptr i8, ptr %mine, i64 {8 * r.randrange(THREAD_BYTES // 8)}")
        if r.random() < 0.3:
            pair = f"{{ {type_}, i1 }}"
            both = self.emit(pair, f"cmpxchg ptr {at}, {type_} {self.use(type_)}, {type_} {self.use(type_)} acq_rel monotonic")
            self.emit("i1", f"extractvalue {pair} {both}, 1")
            return self.emit(type_, f"extractvalue {pair} {both}, 0")
        operation = r.choice(["add", "sub", "and", "or", "xor", "nand", "max", "min", "umax", "umin", "xchg", "uinc_wrap",
                              "udec_wrap", "usub_sat", "usub_cond"])
        order = r.choice(["seq_cst", "monotonic", "acquire", "release"])
        return self.emit(type_, f"atomicrmw {operation} ptr {at}, {type_} {self.use(type_)} {order}")

    def call_function(self):
        if not self.program.callees:
            return self.load()
        name, result, parameters = self.r.choice(self.program.callees)
        arguments = ", ".join(f"{t} {self.use(t)}" for t in parameters)
        return self.emit(result, f"call {result} @{name}({arguments})")

    def straight(self, count):
        for _ in range(count):
            operation = self.r.choice([self.integer_operation] * 5 + [self.float_operation] * 3 +
                                      [self.comparison, self.choice, self.logic, self.conversion, self.conversion] +
                                      [self.vector_operation, self.aggregate_operation] +
                                      self.program.extra(self))
            operation()

    def branch(self, depth):
        r = self.r
        condition = self.use("i1")
        yes, no, join = self.fresh("yes"), self.fresh("no"), self.fresh("join")
        self.lines.append(f"  br i1 {condition}, label %{yes}, label %{no}")
        types = r.sample(INTEGERS + FLOATS + VECTORS + AGGREGATES, 3)
        before = {t: list(v) for t, v in self.values.items()}
        results = []
        for name in (yes, no):
            self.values = {t: list(v) for t, v in before.items()}
            self.label(name)
            self.region(depth - 1, r.randrange(1, 6))
            results.append(([self.use(t) for t in types], self.block))
            self.lines.append(f"  br label %{join}")
        self.values = before
        self.label(join)
        for i, type_ in enumerate(types):
            entries = ", ".join(f"[ {values[i]}, %{block} ]" for values, block in results)
            self.emit(type_, f"phi {type_} {entries}")

    def switch(self, depth):
        r = self.r
        type_ = r.choice(["i8", "i32", "i64"])
        mask = r.choice([7, 7, 31, 63])
        narrow = self.emit(type_, f"and {type_} {self.use(type_)}, {mask}")
        lowest = r.choice([0, 0, -5, 40])
        if lowest != 0:
            narrow = self.emit(type_, f"add {type_} {narrow}, {lowest}")
        join, default = self.fresh("join"), self.fresh("default")
        cases = sorted(r.sample(range(lowest, lowest + mask + 1), r.randrange(2, min(mask, 24))))
        names = [self.fresh("case") for _ in cases[: r.randrange(1, 7)]]
        self.lines.append(f"  switch {type_} {narrow}, label %{default} [")
        for i, case in enumerate(cases):
            name = names[i] if i < len(names) else r.choice(names)
            self.lines.append(f"    {type_} {case}, label %{name}")
        self.lines.append("  ]")
        result_type = r.choice(INTEGERS + FLOATS)
        before = {t: list(v) for t, v in self.values.items()}
        results = []
        for name in names + [default]:
            self.values = {t: list(v) for t, v in before.items()}
            self.label(name)
            self.straight(r.randrange(0, 3))
            results.append((self.use(result_type), self.block))
            self.lines.append(f"  br label %{join}")
        self.values = before
        self.label(join)
        entries = ", ".join(f"[ {value}, %{block} ]" for value, block in results)
        self.emit(result_type, f"phi {result_type} {entries}")

    def loop(self, depth):
        r = self.r
        head, done = self.fresh("loop"), self.fresh("done")
        types = r.sample(INTEGERS + FLOATS + VECTORS, 2)
        is_swap = r.random() < 0.2
        if is_swap:
            types[1] = types[0]
        starts = [self.use(t) for t in types]
        entry = self.block
        self.lines.append(f"  br label %{head}")
        self.label(head)
        counter = "%" + self.fresh("n")
        phis = ["%" + self.fresh("x") for _ in types]
        place = len(self.lines)
        before = {t: list(v) for t, v in self.values.items()}
        for type_, phi in zip(types, phis):
            self.values.setdefault(type_, []).append(phi)
        self.values.setdefault("i32", []).append(counter)
        self.region(depth - 1, r.randrange(2, 7))
        nexts = [self.use(t) for t in types]
        following = self.emit("i32", f"add nuw nsw i32 {counter}, 1")
        more = self.emit("i1", f"icmp ult i32 {following}, {r.randrange(1, 6)}")
        self.lines.append(f"  br i1 {more}, label %{head}, label %{done}")
        phi_lines = [f"  {counter} = phi i32 [ 0, %{entry} ], [ {following}, %{self.block} ]"]
        if is_swap:
            nexts = [phis[1], phis[0]]
        for type_, phi, start, next_ in zip(types, phis, starts, nexts):
            phi_lines.append(f"  {phi} = phi {type_} [ {start}, %{entry} ], [ {next_}, %{self.block} ]")
        self.lines[place:place] = phi_lines
        values = {t: list(v) for t, v in before.items()}
        # The block dominates the end of the loop, if it is the only one.
        for type_, phi in zip(types, phis):
            values.setdefault(type_, []).append(phi)
        self.values = values
        self.label(done)

    def region(self, depth, count):
        self.straight(count)
        if depth > 0:
            self.r.choice([self.branch, self.loop, self.switch])(depth)
            self.straight(count // 2 + 1)


class Program:
    def __init__(self, seed):
        self.r = random.Random(seed)
        self.declarations = {}
        self.callees = []
        self.functions = []
        self.slots = ["s1", "s2"]

    def declare(self, line):
        self.declarations[line] = None

    def extra(self, writer):
        if not writer.is_kernel:
            return []
        return [writer.load, writer.load, writer.indexed_load, writer.indexed_load, writer.local_memory, writer.record,
                writer.transfer, writer.atomic, writer.call_function]

    def function(self, number):
        r = self.r
        name = f"f{number}"
        parameters = r.choices(INTEGERS + FLOATS + VECTORS + AGGREGATES, k=r.randrange(1, 5))
        result = r.choice(INTEGERS + FLOATS + VECTORS + AGGREGATES)
        writer = FunctionWriter(self, r)
        writer.is_kernel = False
        for i, type_ in enumerate(parameters):
            writer.values.setdefault(type_, []).append(f"%a{i}")
        writer.region(r.randrange(2), r.randrange(2, 8))
        writer.lines.append(f"  ret {result} {writer.use(result)}")
        text = ", ".join(f"{t} %a{i}" for i, t in enumerate(parameters))
        attribute = r.choice([" noinline", " alwaysinline", ""])
        self.functions.append(f"define internal {result} @{name}({text}){attribute} #0 {{\nentry:\n" +
                              "\n".join(writer.lines) + "\n}\n")
        self.callees.append((name, result, parameters))

    def kernel(self, number):
        r = self.r
        w = FunctionWriter(self, r)
        w.is_kernel = True
        for slot in self.slots:
            w.lines.append(f"  %{slot} = alloca [4 x i32], align 16")
            w.lines.append(f"  store [4 x i32] zeroinitializer, ptr %{slot}, align 16")
        for register in ("tid", "ntid", "ctaid"):
            self.declare(f"declare i32 @llvm.nvvm.read.ptx.sreg.{register}.x()")
            w.lines.append(f"  %{register} = call i32 @llvm.nvvm.read.ptx.sreg.{register}.x()")
        w.lines += ["  %before = mul i32 %ctaid, %ntid", "  %number = add i32 %before, %tid", "  %wide = zext i32 %number to i64",
                    f"  %skip = mul i64 %wide, {THREAD_BYTES}", "  %mine = getelementptr i8, ptr %in, i64 %skip",
                    "  %own = getelementptr i8, ptr %out, i64 %skip"]
        w.values = {"i32": ["%tid", "%a"], "i64": ["%wide", "%b"], "float": ["%c"], "double": ["%d"], "i8": ["%e"]}
        for _ in range(6):
            w.load()
        w.region(r.randrange(1, 4), r.randrange(4, 14))
        offset = 0
        for type_ in r.sample(INTEGERS + FLOATS + VECTORS + AGGREGATES, 10):
            offset = self.store(w, type_, w.use(type_), offset)
        w.lines.append("  ret void")
        self.functions.append(f"define ptx_kernel void @k{number}(ptr %in, ptr %out, i32 %a, i64 %b, float %c, double %d, "
                              "i8 %e) #0 {\nentry:\n" + "\n".join(w.lines) + "\n}\n")

    def store(self, w, type_, value, offset):
        """Stores the scalars of a value, each at a multiple of 16 bytes. Returns the next offset."""
        if type_[0] == "<":
            count, element = elements_of(type_)
            for i in range(count):
                offset = self.store(w, element, w.emit(element, f"extractelement {type_} {value}, i32 {i}"), offset)
            return offset
        if type_[0] in "[{":
            for i, member in enumerate(members_of(type_)):
                offset = self.store(w, member, w.emit(member, f"extractvalue {type_} {value}, {i}"), offset)
            return offset
        if offset + 16 > THREAD_BYTES:
            return offset
        if type_ in FLOATS:
            is_nan = w.emit("i1", f"fcmp uno {type_} {value}, {value}")
            value = w.emit(type_, f"select i1 {is_nan}, {type_} 0.0, {type_} {value}")
        at = "%" + w.fresh("o")
        w.lines.append(f"  {at} = getelementptr i8, ptr %own, i64 {offset}")
        w.lines.append(f"  store {type_} {value}, ptr {at}, align 8")
        return offset + 16

    def text(self, num_kernels):
        for i in range(3):
            self.function(i)
        for i in range(num_kernels):
            self.kernel(i)
        return ('target triple = "nvptx64-nvidia-cuda"\n\n' + "\n".join(self.functions) + "\n" +
                "\n".join(self.declarations) +
                '\nattributes #0 = { "target-cpu"="sm_80" "target-features"="+ptx88" }\n')


def check(seed, num_kernels, folder, change=lambda ir: ir):
    """Returns what is wrong with a seed, or an empty text. `change` alters what ptxmir reads, and llc does not."""
    ir, mir = folder / f"{seed}.ll", folder / f"{seed}.mir"
    ir.write_text(Program(seed).text(num_kernels))
    selected = subprocess.run(["llc-22", "-O0", "-mcpu=sm_80", "-mattr=+ptx88", "-stop-after=finalize-isel", ir, "-o", mir],
                              capture_output=True, text=True)
    if selected.returncode != 0:
        return f"seed {seed}: llc: {selected.stderr[:500]}\n"
    ir.write_text(change(ir.read_text()))
    found = ""
    for level in "02":
        result = subprocess.run([TOOL, ir, mir, level, "exact"], capture_output=True, text=True, timeout=300)
        undecided = f"{num_kernels} kernels, {num_kernels} decided" not in result.stdout
        if result.returncode != 0 or undecided:
            found += f"seed {seed}, -O{level}: {result.returncode}\n{result.stdout[-1500:]}{result.stderr[-1500:]}"
    return found


def check_ptx(seed, num_kernels, folder, ptxas):
    """Returns what ptxas refuses of the PTX for a seed, or an empty text."""
    ir, ptx = folder / f"{seed}.ll", folder / f"{seed}.ptx"
    ir.write_text(Program(seed).text(num_kernels))
    found = ""
    for level in "02":
        for command in ([PTXMIR, f"-O{level}", ir, "-o", ptx], [ptxas, "-O0", "-arch=sm_80", ptx, "-o", "/dev/null"]):
            result = subprocess.run(command, capture_output=True, text=True, timeout=300)
            if result.returncode != 0:
                found += f"seed {seed}, -O{level}, {command[0]}: {(result.stdout + result.stderr)[:1500]}\n"
                break
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--kernels", type=int, default=10)
    parser.add_argument("--ptxas")
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("--print", action="store_true", dest="prints")
    arguments = parser.parse_args()
    if arguments.prints:
        print(Program(arguments.seed).text(arguments.kernels), end="")
        return 0
    found = 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.keep or pathlib.Path(temporary)
        for seed in range(arguments.seed, arguments.seed + arguments.count):
            report = check(seed, arguments.kernels, folder)
            if arguments.ptxas:
                report += check_ptx(seed, arguments.kernels, folder, arguments.ptxas)
            found += bool(report)
            print(report, end="", flush=True)
    print(f"{arguments.count} files, {found} with differences")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
