// A MessagePack reader with what reading a contract needs besides: how deep it is, and how much more may be allocated.
// Nothing in the bytes is believed; what does not fit is PileCorruptedException.
using Pile.Primitives;

namespace Pile.Codecs;

/// <summary>The reader of a contract's value.</summary>
internal ref struct ContractReader(WireReader wire)
{
    /// <summary>The values.</summary>
    internal WireReader Wire = wire;

    /// <summary>The member whose value is read, as messages have it; null outside of all.</summary>
    internal string? Member;

    private long _allowance = ((long)wire.Length * CodecLimits.ReadExpansionMax) + CodecLimits.ReadAllowanceBytes;
    private int _depth;

    /// <summary>Whether the value asked for more than it may, so that it is hostile or damaged, whatever its form.</summary>
    internal bool IsBeyondLimits { get; private set; }

    /// <summary>Takes from what may be allocated.</summary>
    internal void Charge(long bytes)
    {
        _allowance -= bytes;
        if (_allowance < 0)
        {
            IsBeyondLimits = true;
            Throw.CorruptedValueOf($"it asks for more memory than {CodecLimits.ReadExpansionMax} times its size", Wire.Position);
        }
    }

    /// <summary>Goes one array or map deeper.</summary>
    internal void Enter()
    {
        if (++_depth > CodecLimits.NestingMax)
        {
            IsBeyondLimits = true;
            Throw.CorruptedValueOf($"arrays nested deeper than {CodecLimits.NestingMax}", Wire.Position);
        }
    }

    /// <summary>Ends what <see cref="Enter"/> began.</summary>
    internal void Leave() => _depth--;
}
