// Runs of pages for large payloads: taken and filled before the record that describes them is written, given back when that
// record could not be published.
using System;
using Pile.Cleaning;
using Pile.Epochs;
using Pile.Format;
using Pile.Memory;
using Pile.Primitives;
using Pile.Segments;

namespace Pile.Heap;

/// <summary>Runs as writers take them. Thread-safe.</summary>
internal sealed class HeapRuns<TFormat>(HeapCore<TFormat> core)
    where TFormat : struct, IRecordFormat
{
    private readonly HeapCore<TFormat> _core = core;
    private readonly HeapRoom<TFormat> _room = core.RoomForWrites;
    private readonly FlatSpace _space = core.Directory.Space;

    /// <summary>Takes a run of pages and writes the payload to it; nothing refers to it yet.</summary>
    /// <param name="code">The lane of the payload.</param>
    /// <param name="payload">The payload.</param>
    /// <param name="attempt">The call's memory of its attempts.</param>
    /// <param name="descriptor">What the record must say of the run, when Ok.</param>
    internal PileStatus TryTake<TPayload>(RecordCode code, TPayload payload, ref RoomAttempt attempt, out DescriptorPayload descriptor)
        where TPayload : struct, IPayload, allows ref struct
    {
        EpochLine line = EpochLine.Current;
        if (TFormat.IsDurable)
        {
            // Which pages are free is known once everything is counted; that nothing durable refers to them, after a flush.
            _room.WaitCounted();
            if (!_core.Log.Flushes.HasCovered(_core.Large.NeededFlush))
            {
                FlushOrRefuse();
            }
        }

        while (true)
        {
            // The pin keeps the pile mapped while the payload is copied; the run itself is ours alone.
            long held = line.Enter(_core.Epochs.IdWord);
            PileStatus status = _core.WriteRefusal;
            bool taken;
            descriptor = default;
            try
            {
                taken = status == PileStatus.Ok && _core.Large.TryTake(payload.Bytes, out long run) && Fill(run, code, payload, out descriptor);
            }
            finally
            {
                line.Leave(held);
            }

            if (taken || status != PileStatus.Ok)
            {
                return status;
            }

            status = _room.Make(Room.Large, held, ref attempt, payload.Bytes);
            if (status != PileStatus.Ok)
            {
                return status;
            }
        }
    }

    /// <summary>Gives a run back of a call that ends with an exception, unless a record may refer to it.</summary>
    internal void Drop(in RoomAttempt attempt, in DescriptorPayload descriptor) =>
        _ = Finish(attempt.IsRunUsed ? PileStatus.Ok : PileStatus.Full, descriptor);

    /// <summary>Gives a run back unless the status says that a record refers to it.</summary>
    internal PileStatus Finish(PileStatus status, in DescriptorPayload descriptor)
    {
        // Guarded against Dispose: giving pages back must not meet address space that is somebody else's by then.
        if (status is not (PileStatus.Ok or PileStatus.Disposed) && _core.TryEnterCare())
        {
            try
            {
                _core.Large.Free(descriptor.Run.RunLocation, descriptor.Run.PayloadBytes);
            }
            finally
            {
                _core.ExitCare();
            }
        }

        return status;
    }

    private void FlushOrRefuse()
    {
        try
        {
            _core.FlushNow();
        }
        catch (Exception failure) when (failure is PilePoisonedException or ObjectDisposedException)
        {
            // Every write is refused by then, this one too: by its status, as its caller expects.
        }
    }

    private bool Fill<TPayload>(long run, RecordCode code, TPayload payload, out DescriptorPayload descriptor)
        where TPayload : struct, IPayload, allows ref struct
    {
        bool isFilled = false;
        try
        {
            Span<byte> bytes = _space.Bytes(run, 0, payload.Bytes);
            payload.WriteTo(bytes);
            if (TFormat.IsDurable)
            {
                _core.Large.NoteWritten(run);
                Fault.Stop(StopPoint.RunWritten);
            }

            descriptor = new DescriptorPayload(new LargeDescriptor(run, payload.Bytes, code, TFormat.IsDurable ? Crc32C.Compute(bytes) : 0));
            isFilled = true;
            return true;
        }
        finally
        {
            if (!isFilled)
            {
                _core.Large.Free(run, payload.Bytes);
            }
        }
    }
}
