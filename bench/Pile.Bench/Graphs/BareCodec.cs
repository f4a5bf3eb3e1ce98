using System;
using Pile.Codecs;
using Pile.Format;
using Pile.Segments;

namespace Pile.Bench.Graphs;

/// <summary>The codec without the pile around it: it writes into the thread's buffer, which is used again for each object.</summary>
internal sealed class BareCodec : IDisposable
{
    private readonly ObjectPile _types;

    internal BareCodec(PlanMode plans = PlanMode.Auto) => _types = ObjectPile.Create(new PileOptions { Plans = plans });

    /// <summary>Writes; bytes written.</summary>
    internal int Write<T>(T value)
    {
        var target = new Length();
        GraphPayloads.Send(_types.TypeTable, value, ref target);
        return target.Bytes;
    }

    /// <summary>Writes into an array of its own.</summary>
    internal byte[] ToArray<T>(T value)
    {
        var target = new Copy();
        GraphPayloads.Send(_types.TypeTable, value, ref target);
        return target.Bytes;
    }

    /// <summary>Reads.</summary>
    internal T Read<T>(byte[] payload) =>
        GraphPayloads.TryRead(_types.TypeTable, payload, out T? value) ? value! : throw new InvalidOperationException($"No {typeof(T)}.");

    public void Dispose() => _types.Dispose();

    private struct Length : IPayloadTarget
    {
        internal int Bytes { get; private set; }

        public PileStatus Accept<TPayload>(RecordCode code, TPayload payload)
            where TPayload : struct, IPayload, allows ref struct
        {
            Bytes = payload.Bytes;
            return PileStatus.Ok;
        }
    }

    private struct Copy : IPayloadTarget
    {
        internal byte[] Bytes { get; private set; }

        public PileStatus Accept<TPayload>(RecordCode code, TPayload payload)
            where TPayload : struct, IPayload, allows ref struct
        {
            Bytes = new byte[payload.Bytes];
            payload.WriteTo(Bytes);
            return PileStatus.Ok;
        }
    }
}
