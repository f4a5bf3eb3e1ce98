using PackageGraph.Forms;

namespace PackageGraph.Graphs;

/// <summary>A reference to an ordinary node, as a struct so that the traversals are compiled for it alone.</summary>
internal readonly record struct HeapNode(Package Package);
