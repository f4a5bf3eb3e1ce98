namespace Pile.Tests.Durability.Model;

/// <summary>An open segment and who appends to it: a writer or the cleaner.</summary>
internal sealed class Appender
{
    private int _segment;
    private int _sequence;
    private int _length;
    private bool _isDrawn;

    internal Appender() => Reset();

    /// <summary>The segment, -1 for none.</summary>
    internal int Segment { get => _segment; set => _segment = value; }

    internal int Sequence { get => _sequence; set => _sequence = value; }

    /// <summary>Places counted as written.</summary>
    internal int Length { get => _length; set => _length = value; }

    /// <summary>The sequence is drawn, the row not stored yet.</summary>
    internal bool IsDrawn { get => _isDrawn; set => _isDrawn = value; }

    internal bool HasSegment => _segment >= 0;

    internal Spot Next => new(_segment, _length);

    internal void Reset()
    {
        _segment = -1;
        _sequence = _length = 0;
        _isDrawn = false;
    }

    internal void Carry(ref Carrier carrier)
    {
        carrier.Small(ref _segment);
        if (_segment >= 0)
        {
            carrier.Small(ref _sequence);
            carrier.Small(ref _length);
            carrier.Flag(ref _isDrawn);
        }
        else
        {
            Reset();
        }
    }
}
