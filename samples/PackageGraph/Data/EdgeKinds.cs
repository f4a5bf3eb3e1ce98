using System;

namespace PackageGraph.Data;

/// <summary>Sets of <see cref="EdgeKind"/>, a bit each.</summary>
[Flags]
internal enum EdgeKinds
{
    None = 0,
    Depends = 1 << EdgeKind.Depends,
    PreDepends = 1 << EdgeKind.PreDepends,
    Recommends = 1 << EdgeKind.Recommends,
    Suggests = 1 << EdgeKind.Suggests,
    Provides = 1 << EdgeKind.Provides,
    ProvidedBy = 1 << EdgeKind.ProvidedBy,

    /// <summary>What must be there for a package to work; a virtual name leads on to those that provide it.</summary>
    Needed = Depends | PreDepends | ProvidedBy,

    /// <summary>The same with what is recommended and suggested: this has the large cycles.</summary>
    Wanted = Needed | Recommends | Suggests,
}
