using System;

namespace Pile.Tests.Durability.Model;

/// <summary>What a kill ends: the process's own memory.</summary>
internal sealed class Process
{
    /// <summary>A wait for a flush: none started yet, one started since, that one completed.</summary>
    internal const int NotFlushed = 0;
    internal const int FlushStarted = 1;
    internal const int Flushed = 2;

    private int _cleanerStep;
    private int _victim;
    private int _victimPlace;
    private int _flushStep;
    private ulong _flushLengths;
    private ulong _lastLengths;
    private bool _isPoisoned;
    private int _care;
    private int _careStep;
    private int _openedSequence;

    internal Process(Scope scope)
    {
        Writers = new Writer[scope.Writers];
        for (int writer = 0; writer < scope.Writers; writer++)
        {
            Writers[writer] = new Writer();
        }

        SlotWaits = new int[scope.Slots];
        Uncounted = new int[scope.Slots];
        SegmentWaits = new int[scope.Segments];
        Lives = new int[scope.Segments];
        Sequences = new int[scope.Segments];
        SealedLengths = new int[scope.Segments];
        Reset();
    }

    internal Writer[] Writers { get; }

    internal Appender Cleaner { get; } = new();

    internal CleanerStep CleanerStep { get => (CleanerStep)_cleanerStep; set => _cleanerStep = (int)value; }

    internal Spot Victim { get => new(_victim, _victimPlace); set => (_victim, _victimPlace) = value; }

    internal FlushStep FlushStep { get => (FlushStep)_flushStep; set => _flushStep = (int)value; }

    /// <summary>The lengths that the flush under way has read.</summary>
    internal Lengths FlushLengths { get => new(_flushLengths); set => _flushLengths = value.Bits; }

    /// <summary>The lengths of the last completed flush of this process; no bits before the first.</summary>
    internal Lengths LastLengths { get => new(_lastLengths); set => _lastLengths = value.Bits; }

    /// <summary>A sync failed: writes are refused.</summary>
    internal bool IsPoisoned { get => _isPoisoned; set => _isPoisoned = value; }

    internal Care Care { get => (Care)_care; set => _care = (int)value; }

    internal int CareStep { get => _careStep; set => _careStep = value; }

    /// <summary>Of each slot with a tombstone, how far the flush is that its reissue waits for.</summary>
    internal int[] SlotWaits { get; }

    /// <summary>Of each sealed or retired segment, how far the flush is that cleaning or reuse waits for.</summary>
    internal int[] SegmentWaits { get; }

    /// <summary>Of each slot, 1 until the count after the open has come to it.</summary>
    internal int[] Uncounted { get; }

    /// <summary>The last sequence that a segment had at the open.</summary>
    internal int OpenedSequence { get => _openedSequence; set => _openedSequence = value; }

    internal int[] Lives { get; }

    internal int[] Sequences { get; }

    internal int[] SealedLengths { get; }

    internal SegmentLife Life(int segment) => (SegmentLife)Lives[segment];

    /// <summary>Whether nobody is inside a call, the flush apart.</summary>
    internal bool IsQuiet => CleanerStep == CleanerStep.Idle && !Cleaner.IsDrawn
        && Array.TrueForAll(Writers, static writer => writer.Step == WriterStep.Idle && !writer.Appender.IsDrawn);

    /// <summary>The slot that the count comes to next, -1 when all is counted.</summary>
    internal int NextToCount() => Array.IndexOf(Uncounted, 1);

    internal void Set(int segment, SegmentLife life, int wait)
    {
        Lives[segment] = (int)life;
        SegmentWaits[segment] = wait;
    }

    /// <summary>Brings waits that nobody will ask about to one form.</summary>
    internal void Canonicalize(World world)
    {
        _openedSequence = NextToCount() < 0 ? 0 : _openedSequence;
        bool mayPut = world.Has(Budget.Put) || world.Has(Budget.Batch);
        for (int slot = 0; slot < SlotWaits.Length; slot++)
        {
            SlotWaits[slot] = mayPut && !world.Files.Table[slot].IsLive ? SlotWaits[slot] : 0;
        }

        for (int segment = 0; segment < Lives.Length; segment++)
        {
            bool mayAsk = Life(segment) == SegmentLife.Retired || (Life(segment) == SegmentLife.Sealed && world.Has(Budget.Clean));
            SegmentWaits[segment] = mayAsk ? SegmentWaits[segment] : 0;
            SealedLengths[segment] = Life(segment) == SegmentLife.Sealed ? SealedLengths[segment] : 0;
            Sequences[segment] = Life(segment) == SegmentLife.Free ? 0 : Sequences[segment];
        }
    }

    /// <summary>A flush starts, or completes: every wait that this helps goes on.</summary>
    internal void Advance(int from)
    {
        Advance(SlotWaits, from);
        Advance(SegmentWaits, from);
    }

    internal void Reset()
    {
        Array.ForEach(Writers, static writer => writer.Reset());
        Cleaner.Reset();
        (_cleanerStep, _victim, _victimPlace, _flushStep, _care, _careStep) = (0, 0, 0, 0, 0, 0);
        _flushLengths = _lastLengths = 0;
        _isPoisoned = false;
        Array.Clear(SlotWaits);
        Array.Clear(Uncounted);
        _openedSequence = 0;
        Array.Clear(SegmentWaits);
        Array.Clear(Lives);
        Array.Clear(Sequences);
        Array.Clear(SealedLengths);
    }

    internal void Carry(ref Carrier carrier)
    {
        foreach (Writer writer in Writers)
        {
            writer.Carry(ref carrier);
        }

        Cleaner.Carry(ref carrier);
        carrier.Small(ref _cleanerStep);
        carrier.Small(ref _victim);
        carrier.Small(ref _victimPlace);
        carrier.Small(ref _flushStep);
        carrier.Word(ref _flushLengths);
        carrier.Word(ref _lastLengths);
        carrier.Flag(ref _isPoisoned);
        carrier.Small(ref _care);
        carrier.Small(ref _careStep);
        carrier.Smalls(SlotWaits);
        carrier.Smalls(Uncounted);
        carrier.Small(ref _openedSequence);
        carrier.Smalls(SegmentWaits);
        carrier.Smalls(Lives);
        carrier.Smalls(Sequences);
        carrier.Smalls(SealedLengths);
    }

    private static void Advance(int[] waits, int from)
    {
        for (int index = 0; index < waits.Length; index++)
        {
            waits[index] = waits[index] == from ? from + 1 : waits[index];
        }
    }
}
