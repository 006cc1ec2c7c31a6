// SPDX-License-Identifier: Apache-2.0

#include "sdag/text/dag_dot.h"

#include "base/str_cat.h"
#include "sdag/text/dag_node_writer.h"
#include "sdag/text/dag_writer.h"

namespace ptxmir::sdag {
namespace {

// Returns the text for a field of a record. Characters with a meaning in records or strings are escaped.
std::string RecordText(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '{':
      case '}':
      case '<':
      case '>':
      case '|':
      case '"':
      case '\\':
      case ' ':
        escaped += '\\';
        escaped += c;
        break;
      case '\n':
        escaped += "\\n";
        break;
      default:
        escaped += static_cast<unsigned char>(c) < 0x20 ? '?' : c;
    }
  }
  return escaped;
}

// Returns the text for a string outside of records.
std::string StringText(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '"' || c == '\\') escaped += '\\';
    escaped += static_cast<unsigned char>(c) < 0x20 ? '?' : c;
  }
  return escaped;
}

// Describes the nodes of a graph.
class NodeDescriptions {
 public:
  explicit NodeDescriptions(const MachineFunction& function) : sink_(text_), writer_(function, sink_) {}

  // Returns a text that is valid until the next call.
  std::string_view Of(const SDNode& node) {
    text_.clear();
    writer_.WriteName(node);
    writer_.WriteFlags(node);
    writer_.WritePayload(node);
    if (node.ir_order() != 0) {
      sink_.Put(" [ORD=");
      sink_.PutInt(node.ir_order());
      sink_.Put(']');
    }
    if (node.is_divergent()) sink_.Put(" # D:1");
    sink_.Flush();
    return text_;
  }

 private:
  std::string text_;
  TextSink sink_;
  DagNodeWriter writer_;
};

std::string NameOf(const SDNode& node) { return StrCat("Node", node.id()); }

// "{{<s0>0|<s1>1}|add|t5|{<d0>i32|<d1>ch}}"
void WriteRecord(const SDNode& node, NodeDescriptions& descriptions, std::string& out) {
  StrAppend(&out, "  ", NameOf(node), " [shape=record, label=\"{");
  for (unsigned i = 0; i < node.num_operands(); ++i) StrAppend(&out, i == 0 ? "{" : "|", "<s", i, ">", i);
  if (node.num_operands() != 0) out += "}|";
  StrAppend(&out, RecordText(descriptions.Of(node)), "|");
  if (node.node_id() >= 0) StrAppend(&out, "t", node.node_id(), "|");
  for (unsigned i = 0; i < node.num_values(); ++i) {
    StrAppend(&out, i == 0 ? "{" : "|", "<d", i, ">", Name(node.value_type(i)));
  }
  out += "}}\"];\n";
}

void WriteEdge(std::string_view from, SDValue to, std::string& out) {
  StrAppend(&out, "  ", from, " -> ", NameOf(*to.node()), ":d", to.resno());
  if (to.type() == MVT::kGlue) {
    out += " [color=red, style=bold]";
  } else if (to.type() == MVT::kOther) {
    out += " [color=blue, style=dashed]";
  }
  out += ";\n";
}

}  // namespace

void WriteDagDot(SelectionDAG& dag, std::string_view title, std::string& out) {
  NumberNodes(dag);
  std::string name(title);
  if (name.empty()) {
    name = StrCat(dag.machine_function().name(), ":bb.", dag.block().number());
    if (!dag.block().name.empty()) StrAppend(&name, ".", dag.block().name);
  }
  StrAppend(&out, "digraph \"", StringText(name), "\" {\n  rankdir=\"BT\";\n  label=\"", StringText(name), "\";\n\n");
  NodeDescriptions descriptions(dag.machine_function());
  for (const SDNode& node : dag) {
    WriteRecord(node, descriptions, out);
    for (const SDUse& use : node.operands()) {
      if (use.node() != nullptr) WriteEdge(StrCat(NameOf(node), ":s", use.operand_number()), use, out);
    }
  }
  if (dag.root()) {
    out += "\n  GraphRoot [shape=plaintext, label=\"GraphRoot\"];\n";
    WriteEdge("GraphRoot", dag.root(), out);
  }
  out += "}\n";
}

}  // namespace ptxmir::sdag
