// What somebody gets who asks for an entry or a lease to compute it: one of the two, or neither.
// The number is the server's, and good for one key.
namespace Pile.Client;

/// <summary>A value, or a lease.</summary>
public readonly record struct PileClientLease
{
    internal PileClientLease(byte[]? value, ulong number)
    {
        Value = value;
        Number = number;
    }

    /// <summary>The value, or null where there is no entry.</summary>
    public byte[]? Value { get; }

    /// <summary>Whether the caller is to compute the value. False too where another client computes it.</summary>
    public bool IsLeased => Number != 0;

    internal ulong Number { get; }
}
