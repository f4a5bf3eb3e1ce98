using PackageGraph.Data;
using Pile;

namespace PackageGraph.Forms;

/// <summary>An edge between objects in a pile.</summary>
internal readonly record struct StoredEdge(PileRef<StoredPackage> Target, PileRef<string> Bound, EdgeMark Mark);
