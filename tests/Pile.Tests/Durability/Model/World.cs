using System;
using System.Collections.Generic;

namespace Pile.Tests.Durability.Model;

/// <summary>One state: files, process, what was promised, and what may still happen. Steps change it in place; an exploration keeps
/// states as bytes, which never change.</summary>
internal sealed class World
{
    internal const int BytesMax = 1024;
    private readonly Rule? _broken;
    private readonly int[] _left;
    private int _phase;
    private int _openingStep;
    private bool _forgetsCheckpoint;
    private int _nextSequence = 1;
    private int _nextMarker = 1;
    private int _nextValue = 1;

    internal World(Scope scope, Rule? broken)
    {
        Scope = scope;
        _broken = broken;
        _left = scope.Budgets();
        Files = new Files(scope);
        Process = new Process(scope);
        Promises = new Promises(scope.Slots, scope.BatchesBindLater);
        Files.StoreMeta(new MetaWord { IsBootNoted = true });
        Files.Meta.Sync();
        Files.IsTrusted = true;
        Phase = Phase.Up;
    }

    internal Scope Scope { get; }

    internal Files Files { get; }

    internal Process Process { get; }

    internal Promises Promises { get; }

    /// <summary>Where steps tell what they do; null while nobody listens.</summary>
    internal List<string>? Story { get; set; }

    internal Phase Phase { get => (Phase)_phase; set => _phase = (int)value; }

    /// <summary>How far an open is.</summary>
    internal int OpeningStep { get => _openingStep; set => _openingStep = value; }

    /// <summary>Whether the open under way takes what its checkpoint does not name.</summary>
    internal bool ForgetsCheckpoint { get => _forgetsCheckpoint; set => _forgetsCheckpoint = value; }

    internal int NextSequence { get => _nextSequence; set => _nextSequence = value; }

    /// <summary>Whether the power was cut since the boot that meta notes.</summary>
    internal bool WasCut => Files.Meta.IsUnread || !Files.MetaNow.IsBootNoted;

    internal bool Keeps(Rule rule) => _broken != rule;

    internal bool Has(Budget budget) => _left[(int)budget] > 0;

    /// <summary>Whether there was a kill or a cut.</summary>
    internal bool HasCrashed => _left[(int)Budget.Kill] + _left[(int)Budget.Cut] < Scope.Kills + Scope.Cuts;

    internal void Spend(Budget budget) => _left[(int)budget]--;

    internal int DrawValue() => _nextValue < LogRecord.Garbage ? _nextValue++ : throw new InvalidOperationException("out of payloads");

    internal int DrawMarker() => _nextMarker++;

    /// <summary>Writes the state down; returns its length.</summary>
    internal int Save(Span<byte> bytes)
    {
        if (!Has(Budget.Cut) && Scope.FailedSyncs == 0)
        {
            Files.SyncLog();
            Files.Meta.Sync();
            if (Phase != Phase.Down)
            {
                Promises.ForgetOlder();
            }
        }

        Process.Canonicalize(this);
        Files.Canonicalize(keepsLater: !Keeps(Rule.SequencesNeverRepeat) || !Keeps(Rule.SequenceBeforeBytes), keepsCheckpoint: Process.Care == Care.Checkpoint);
        return Carry(new Carrier(bytes, isLoading: false));
    }

    internal void Load(byte[] bytes) => Carry(new Carrier(bytes, isLoading: true));

    /// <summary>In a pile that is open, the table shows what was promised and refers to nothing that may be overwritten. What is
    /// damaged a read tells.</summary>
    internal void Check()
    {
        if (Phase != Phase.Up || Process.IsPoisoned || Process.Care == Care.Clear || Files.IsDamaged)
        {
            return;
        }

        for (int slot = 0; slot < Files.Table.Length; slot++)
        {
            SlotState shown = Show(Files.Table[slot], slot);
            if (shown != Promises.Last(slot))
            {
                throw new BrokenPromiseException(Promise.TableTrue, $"the entry of slot {slot} shows {shown}; it should show {Promises.Last(slot)}");
            }
        }
    }

    private SlotState Show(TableEntry entry, int slot)
    {
        if (!entry.IsLive)
        {
            return new SlotState(entry.HasPlace ? Files.RecordAt(entry.Spot).Generation : 0, 0);
        }

        if (Process.Life(entry.Spot.Segment) is SegmentLife.Free or SegmentLife.Retired)
        {
            throw new BrokenPromiseException(Promise.TableTrue, $"the entry of slot {slot} refers to {entry.Spot}, in a segment that may be overwritten");
        }

        LogRecord record = Files.RecordAt(entry.Spot);
        return record.Kind == RecordKind.Object && record.Slot == slot && record.Sequence == Process.Sequences[entry.Spot.Segment]
            ? record.State with { Generation = entry.Generation }
            : new SlotState(entry.Generation, LogRecord.Garbage);
    }

    private int Carry(Carrier carrier)
    {
        carrier.Smalls(_left);
        carrier.Small(ref _phase);
        carrier.Small(ref _openingStep);
        carrier.Flag(ref _forgetsCheckpoint);
        carrier.Small(ref _nextSequence);
        carrier.Small(ref _nextMarker);
        carrier.Small(ref _nextValue);
        Files.Carry(ref carrier);
        Promises.Carry(ref carrier);
        if (Phase == Phase.Up)
        {
            Process.Carry(ref carrier);
        }
        else
        {
            Process.Reset();
        }

        return carrier.Length;
    }
}
