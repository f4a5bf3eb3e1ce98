// Writes all that a heap holds at one moment as an export: schemas, roots, then the slots in rising order, each object with its stored
// bytes as they are. Objects in files are verified on the way: a damaged one ends the export, it is never passed on.
using System;
using System.Collections.Generic;
using System.Threading;
using Pile.Codecs;
using Pile.Format;
using Pile.Memory;
using Pile.Persistence;
using Pile.Primitives;

namespace Pile.Heap;

/// <summary>One export.</summary>
/// <param name="core">The heap.</param>
/// <param name="promise">The pile's promise.</param>
/// <param name="roots">The roots, which are no records in memory.</param>
/// <param name="types">The types.</param>
/// <param name="refuseLost">Asks whether the table in files lost pages, and throws then.</param>
internal sealed class HeapExport<TFormat>(HeapCore<TFormat> core, PilePromise promise, PileRoots roots, TypeTable types, Action refuseLost)
    where TFormat : struct, IRecordFormat
{
    private const uint Ahead = 12;
    private readonly FlatSpace _space = core.Directory.Space;
    private readonly List<uint> _internals = [];
    private IReadOnlyList<KeyValuePair<string, PilePointer>> _roots = [];
    private IReadOnlyList<uint> _shadowed = [];
    private long _objects;
    private long _written;
    private int _rootCount;
    private int _typeCount;

    /// <summary>Writes the export.</summary>
    /// <param name="target">Takes the blocks.</param>
    /// <param name="progress">Gets the progress, or null.</param>
    internal PileExportReport Run(ExportWriter target, IProgress<PileTransferProgress>? progress)
    {
        if (!core.TryEnterCare())
        {
            Throw.Disposed();
        }

        try
        {
            refuseLost();
            using TableMoment moment = Take();
            Survey(moment, target.Cancelled);
            target.Ended = () => progress?.Report(new PileTransferProgress(_written, _objects, target.Bytes));
            var header = new ExportHeader(core.Log.Identity, core.Tag, promise, uint.Max(1, EntryWord.Generation(core.FirstGeneration)), _objects, types.NumberBound);
            header.Write(target.BeginItem(ExportBlockKind.Header));
            WriteInternals(target, moment);
            WriteSlots(target, moment);
            WriteEnd(target.BeginItem(ExportBlockKind.End));
            target.Complete();
            return new PileExportReport(_objects, _typeCount, _rootCount, target.Bytes);
        }
        finally
        {
            core.ExitCare();
        }
    }

    /// <summary>The moment, with the roots of it. Their gate comes before the writers.</summary>
    private TableMoment Take()
    {
        TableMoment moment = null!;
        roots.WhileStill(() => moment = TableMoment.Take(core, NoteRoots));
        return moment;
    }

    private void NoteRoots()
    {
        if (TFormat.IsDurable)
        {
            _shadowed = roots.Shadowed();
        }
        else
        {
            // Roots in memory change without a writer; an object that a root leads to was put before.
            _roots = roots.Snapshot();
        }
    }

    private void Survey(TableMoment moment, CancellationToken cancelled)
    {
        // One root of each name: the other's slot counts as freed, as it will be by an open for writing.
        foreach (uint slot in _shadowed)
        {
            _ = PayloadOf(slot, moment[slot], out _);
            moment.Forget(slot, GenerationOf(moment[slot]));
        }

        for (uint slot = Limits.FirstSlot; slot < moment.HighWater; slot++)
        {
            if (slot % Limits.TablePageSlots == 0)
            {
                cancelled.ThrowIfCancellationRequested();
            }

            ulong entry = moment[slot];
            if (TFormat.IsDurable)
            {
                Prefetch(moment, slot);
                if (EntryWord.IsLive(entry) && IsOfCache(slot, entry))
                {
                    // What a cache keeps is not exported: the slot counts as free.
                    moment.Forget(slot, EntryWord.Generation(entry));
                    continue;
                }
            }

            _objects += EntryWord.IsLive(entry) ? 1 : 0;
            if (EntryWord.IsInternal(entry))
            {
                _internals.Add(slot);
            }
        }
    }

    /// <summary>Whether a record is a cache's. Each is looked at: a copy and a salvage have some, and no file that tells of a cache.</summary>
    private bool IsOfCache(uint slot, ulong entry)
    {
        if (!core.Touch!.HasGoodHeader(slot, entry))
        {
            return false;
        }

        // Most are not by their headers alone: for this no payload of theirs is verified.
        var record = LogRecord.Read(_space, EntryWord.Location(entry));
        return (record.Code == RecordCode.Extended || (record.TryReadRun(_space, out LargeDescriptor run) && run.Code == RecordCode.Extended))
            && core.Touch.IsGood(slot, entry)
            && ExtendedKinds.IsOfCache(_space, TFormat.HeaderBytes, record.Location, RecordWord.Payload(record.Word0));
    }

    private void WriteInternals(ExportWriter target, TableMoment moment)
    {
        foreach (uint slot in _internals)
        {
            ReadOnlySpan<byte> payload = PayloadOf(slot, moment[slot], out RecordCode code);
            if (code == RecordCode.Schema)
            {
                _typeCount++;
                WireWriter item = target.BeginItem(ExportBlockKind.Types);
                item.WriteArrayHeader(3);
                item.WriteUInt32(slot);
                item.WriteUInt32(GenerationOf(moment[slot]));
                item.WriteBinary(payload);
            }
        }

        foreach (uint slot in _internals)
        {
            ReadOnlySpan<byte> payload = PayloadOf(slot, moment[slot], out RecordCode code);
            if (code == RecordCode.Root && HeapRoots.CanBe(payload.Length))
            {
                (string name, ulong pointer) = HeapRoots.Read(payload);
                WriteRoot(target, slot, GenerationOf(moment[slot]), name, pointer);
            }
        }

        foreach ((string name, PilePointer pointer) in _roots)
        {
            WriteRoot(target, slot: 0, generation: 0, name, pointer.Word);
        }
    }

    private void WriteRoot(ExportWriter target, uint slot, uint generation, string name, ulong pointer)
    {
        WireWriter item = target.BeginItem(ExportBlockKind.Roots);
        item.WriteArrayHeader(4);
        item.WriteUInt32(slot);
        item.WriteUInt32(generation);
        item.WriteText(name);
        item.WriteUInt64(pointer);
        _rootCount++;
    }

    /// <summary>The generation of a slot with a record of the pile's own. In memory such a slot is never freed, and has none.</summary>
    private uint GenerationOf(ulong entry) => TFormat.IsDurable ? DurableRecord.Generation(_space.ReadWord(EntryWord.Location(entry) + 1)) : 1;

    private void WriteSlots(ExportWriter target, TableMoment moment)
    {
        for (uint slot = Limits.FirstSlot; slot < moment.HighWater; slot++)
        {
            Prefetch(moment, slot);
            ulong entry = moment[slot];
            if (EntryWord.IsLive(entry))
            {
                ReadOnlySpan<byte> payload = PayloadOf(slot, entry, out RecordCode code);
                target.WriteObject(slot, EntryWord.Generation(entry), code, payload);
                _written++;
            }
            else if (EntryWord.Generation(entry) > 0)
            {
                WireWriter item = target.BeginItem(ExportBlockKind.Objects);
                item.WriteArrayHeader(2);
                item.WriteUInt32(slot);
                item.WriteUInt32(EntryWord.Generation(entry));
            }
        }
    }

    private void Prefetch(TableMoment moment, uint slot)
    {
        if (slot + Ahead < moment.HighWater)
        {
            _space.PrefetchRecord(EntryWord.Location(moment[slot + Ahead]));
        }
    }

    // Entries of a table that lost pages are older ones, or none.
    private void ThrowIfLost()
    {
        if (TFormat.IsDurable && core.Touch!.IsLost)
        {
            core.ThrowIfPoisoned(PileStatus.Poisoned);
        }
    }

    private void WriteEnd(WireWriter item)
    {
        refuseLost();
        item.WriteMapHeader(3);
        item.WriteText("objects");
        item.WriteInt64(_objects);
        item.WriteText("types");
        item.WriteInt32(_typeCount);
        item.WriteText("roots");
        item.WriteInt32(_rootCount);
    }

    /// <summary>The stored bytes of a record of the moment.</summary>
    /// <exception cref="PileCorruptedException">They are not what was stored.</exception>
    private ReadOnlySpan<byte> PayloadOf(uint slot, ulong entry, out RecordCode code)
    {
        ThrowIfLost();
        if (TFormat.IsDurable && !core.Touch!.Inspect(slot, entry))
        {
            Throw.Failed(PileStatus.Corrupted, new PilePointer(PointerWord.Pack(slot, core.Tag, EntryWord.Generation(entry))), "Export");
        }

        long location = EntryWord.Location(entry);
        ulong word = _space.ReadWord(location);
        code = RecordWord.Code(word);
        if (code != RecordCode.Large)
        {
            return _space.Bytes(location, TFormat.HeaderBytes, RecordWord.PayloadBytes(word));
        }

        LargeDescriptor run = LargeDescriptor.Read(_space.Bytes(location, TFormat.HeaderBytes, LargeDescriptor.Bytes));
        code = run.Code;
        return _space.Bytes(run.RunLocation, 0, run.PayloadBytes);
    }
}
