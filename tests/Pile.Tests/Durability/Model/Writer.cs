namespace Pile.Tests.Durability.Model;

/// <summary>A writer and the call that holds it.</summary>
internal sealed class Writer
{
    private int _step;
    private ulong _first;
    private ulong _second;

    internal Appender Appender { get; } = new();

    internal WriterStep Step { get => (WriterStep)_step; set => _step = (int)value; }

    /// <summary>1, or 2 for a batch; 0 when idle.</summary>
    internal int Count => _first == 0 ? 0 : _second == 0 ? 1 : 2;

    internal bool IsBatch => _second != 0;

    /// <summary>Places that the call takes: a frame has a head.</summary>
    internal int Places => IsBatch ? Count + 1 : 1;

    internal Member this[int index] => Member.Unpack(index == 0 ? _first : _second);

    internal void Begin(Member first, Member? second = null)
    {
        _first = first.Pack();
        _second = second?.Pack() ?? 0;
        Step = WriterStep.Claimed;
    }

    internal void End()
    {
        _first = _second = 0;
        Step = WriterStep.Idle;
    }

    /// <summary>Whether the call in flight changes the slot.</summary>
    internal bool Changes(int slot)
    {
        for (int index = 0; index < Count; index++)
        {
            if (this[index].Slot == slot)
            {
                return true;
            }
        }

        return false;
    }

    /// <summary>Whether the entry of that member is swung already.</summary>
    internal bool IsSwung(int index) => Step is WriterStep.Swung or WriterStep.SwungTooEarly || (Step == WriterStep.HalfSwung && index == 0);

    internal void Reset()
    {
        End();
        Appender.Reset();
    }

    internal void Carry(ref Carrier carrier)
    {
        Appender.Carry(ref carrier);
        carrier.Small(ref _step);
        if (Step != WriterStep.Idle)
        {
            carrier.Word(ref _first);
            carrier.Word(ref _second);
        }
        else
        {
            _first = _second = 0;
        }
    }
}
