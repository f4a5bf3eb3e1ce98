namespace PackageGraph.Data;

/// <summary>What an edge is besides its target and bound: bits 0..2 kind, 3 alternative, 4..15 qualifier (0: none).</summary>
internal readonly record struct EdgeMark(ushort Bits)
{
    private const int AlternativeBit = 1 << 3;
    private const int QualifierShift = 4;

    internal EdgeMark(EdgeKind kind, bool isAlternative, int qualifier)
        : this((ushort)((int)kind | (isAlternative ? AlternativeBit : 0) | (qualifier << QualifierShift)))
    {
    }

    /// <summary>The column.</summary>
    internal EdgeKind Kind => (EdgeKind)(Bits & (AlternativeBit - 1));

    /// <summary>Whether it is the alternative of the edge before.</summary>
    internal bool IsAlternative => (Bits & AlternativeBit) != 0;

    /// <summary>1 + index of its qualifier (":any") in the catalogue's list; 0 for none.</summary>
    internal int Qualifier => Bits >> QualifierShift;

    /// <summary>Whether its kind is in a set.</summary>
    internal bool IsIn(EdgeKinds kinds) => (((int)kinds >> (int)Kind) & 1) != 0;
}
