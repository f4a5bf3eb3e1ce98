// Which state of an entry a caller has seen.
// Opaque: it is sent back as it came.
namespace Pile.Client;

/// <summary>The version of an entry, as GetWithVersionAsync told it.</summary>
public readonly record struct PileClientVersion
{
    internal PileClientVersion(ulong number, ulong createdMs)
    {
        Number = number;
        CreatedMs = createdMs;
    }

    internal ulong Number { get; }

    internal ulong CreatedMs { get; }
}
