// The runs of large payloads around a write: taken and filled before the descriptor is published, freed when it was not.
// Publishing the descriptor, and retiring the run of one that was replaced, is HeapWrites' business.
using System.Runtime.CompilerServices;
using Pile.Cleaning;
using Pile.Epochs;
using Pile.Format;
using Pile.Memory;
using Pile.Segments;

namespace Pile.Heap;

/// <summary>Large payloads on their way in. Thread-safe.</summary>
internal sealed class HeapRuns<TFormat>(HeapCore<TFormat> core)
    where TFormat : struct, IRecordFormat
{
    private readonly HeapCore<TFormat> _core = core;
    private readonly FlatSpace _space = core.Directory.Space;
    private readonly long _idWord = core.Epochs.IdWord;
    private readonly HeapRoom<TFormat> _room = new(core);

    /// <summary>Takes a run of pages and writes the payload to it; nothing refers to it yet.</summary>
    internal PileStatus TryTake<TPayload>(TPayload payload, out long run)
        where TPayload : struct, IPayload, allows ref struct
    {
        EpochLine line = EpochLine.Current;
        RoomAttempt attempt = default;
        while (true)
        {
            // The pin keeps the pile mapped while the payload is copied; the run itself is ours alone.
            long outer = line.Enter(_idWord);
            bool disposed = _core.IsDisposed;
            run = 0;
            bool taken = !disposed && _core.Large.TryTake(payload.Bytes, _core.Pool.KeepBytes, out run);
            if (taken)
            {
                payload.WriteTo(_space.Bytes(run, 0, payload.Bytes));
            }

            line.Leave(outer);
            if (disposed || taken)
            {
                return disposed ? PileStatus.Disposed : PileStatus.Ok;
            }

            PileStatus status = _room.Make(Room.Large, outer, ref attempt, LargeRuns.RunBytes(payload.Bytes));
            if (status != PileStatus.Ok)
            {
                return status;
            }
        }
    }

    /// <summary>Frees the run if the descriptor was not published, and passes the status on.</summary>
    internal PileStatus Finish(PileStatus status, long run, int payloadBytes)
    {
        if (status is not (PileStatus.Ok or PileStatus.Disposed))
        {
            _core.Large.Free(run, payloadBytes);
        }

        return status;
    }

    /// <summary>Frees retired runs whose epoch has passed.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    internal void Reclaim()
    {
        if (_core.TryEnterCare())
        {
            _ = _core.Large.Reclaim(waitMs: 0);
            _core.ExitCare();
        }
    }
}
