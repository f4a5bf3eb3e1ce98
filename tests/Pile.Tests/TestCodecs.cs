using System;
using System.Buffers;
using System.Text;

namespace Pile.Tests;

/// <summary>Types without a lane of their own, and codecs of them.</summary>
internal static class TestCodecs
{
    internal static PileOptions Options => PileOptions.Tiny with
    {
        Codecs = new PileCodecs().Add(7, new NameCodec()).Add(8, new PairCodec()).Add(9, new CircleCodec()),
    };

    internal record Shape(string Label);

    internal sealed record Circle(string Label, int Radius) : Shape(Label);

    internal sealed record Name(string Text);

    /// <summary>A value type with a reference: no raw lane.</summary>
    internal readonly record struct Pair(string Key, int Value);

    internal sealed class NameCodec : IPileCodec<Name>
    {
        internal Func<Exception?> Failing { get; set; } = static () => null;

        public void Write(Name value, IBufferWriter<byte> writer)
        {
            writer.Write(Encoding.UTF8.GetBytes(value.Text));
            if (Failing() is { } failure)
            {
                throw failure;
            }
        }

        public Name Read(ReadOnlySpan<byte> payload)
        {
            if (Failing() is { } failure)
            {
                throw failure;
            }

            return new Name(Encoding.UTF8.GetString(payload));
        }
    }

    /// <summary>Reads memory, and keeps what it must not.</summary>
    internal sealed class MemoryCodec : IPileMemoryCodec<Name>
    {
        internal ReadOnlyMemory<byte> Kept { get; private set; }

        internal Exception? Failing { get; set; }

        public void Write(Name value, IBufferWriter<byte> writer) => writer.Write(Encoding.UTF8.GetBytes(value.Text));

        public Name Read(ReadOnlyMemory<byte> payload)
        {
            Kept = payload;
            using MemoryHandle pinned = payload.Pin();
            return Failing is null ? new Name(Encoding.UTF8.GetString(payload.Span)) : throw Failing;
        }
    }

    internal sealed class Disposing<T> : IPileCodec<T>
    {
        public void Write(T value, IBufferWriter<byte> writer)
        {
            writer.Write("something"u8);
            ((IDisposable)writer).Dispose();
        }

        public T Read(ReadOnlySpan<byte> payload) => throw new InvalidOperationException("never stored");
    }

    internal sealed class PairCodec : IPileCodec<Pair>
    {
        public void Write(Pair value, IBufferWriter<byte> writer)
        {
            writer.Write([(byte)value.Value]);
            writer.Write(Encoding.UTF8.GetBytes(value.Key));
        }

        public Pair Read(ReadOnlySpan<byte> payload) => new(Encoding.UTF8.GetString(payload[1..]), payload[0]);
    }

    internal sealed class CircleCodec : IPileCodec<Circle>
    {
        public void Write(Circle value, IBufferWriter<byte> writer)
        {
            writer.Write([(byte)value.Radius]);
            writer.Write(Encoding.UTF8.GetBytes(value.Label));
        }

        public Circle Read(ReadOnlySpan<byte> payload) => new(Encoding.UTF8.GetString(payload[1..]), payload[0]);
    }

    /// <summary>Stores each node's child in the same pile while the node is written, and follows it while it is read.</summary>
    internal sealed class NodeCodec : IPileCodec<Node>
    {
        internal ObjectPile? Pile { get; set; }

        public void Write(Node value, IBufferWriter<byte> writer)
        {
            writer.Write([value.Number]);
            PilePointer child = value.Child is { } node ? Pile!.Put(node) : default;
            writer.Write(BitOf(child));
        }

        public Node Read(ReadOnlySpan<byte> payload)
        {
            var child = PilePointer.FromInt64(System.Buffers.Binary.BinaryPrimitives.ReadInt64LittleEndian(payload[1..]));
            return new Node(payload[0], child.IsNull ? null : Pile!.Get<Node>(child));
        }

        private static byte[] BitOf(PilePointer pointer)
        {
            byte[] bytes = new byte[8];
            System.Buffers.Binary.BinaryPrimitives.WriteInt64LittleEndian(bytes, pointer.ToInt64());
            return bytes;
        }
    }

    internal sealed record Node(byte Number, Node? Child);
}
