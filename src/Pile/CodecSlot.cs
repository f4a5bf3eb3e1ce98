// A registered codec with its number and type, callable without knowing the type: for values put or read as a base.
// The typed form is used where the type is known, so that structs are not boxed.
using System;
using System.Buffers;

namespace Pile;

/// <summary>A registered codec.</summary>
internal abstract class CodecSlot(int id, Type type)
{
    /// <summary>The number stored with each object.</summary>
    internal int Id { get; } = id;

    /// <summary>The type it writes.</summary>
    internal Type Type { get; } = type;

    /// <summary>Writes a value of <see cref="Type"/>.</summary>
    internal abstract void WriteObject(object value, IBufferWriter<byte> writer);

    /// <summary>Reads a value of <see cref="Type"/>.</summary>
    internal abstract object? ReadObject(ReadOnlySpan<byte> payload);
}

/// <summary>A registered codec of T.</summary>
internal sealed class CodecSlot<T>(int id, IPileCodec<T> codec) : CodecSlot(id, typeof(T))
{
    internal IPileCodec<T> Codec { get; } = codec;

    internal override void WriteObject(object value, IBufferWriter<byte> writer) => Codec.Write((T)value, writer);

    internal override object? ReadObject(ReadOnlySpan<byte> payload) => Codec.Read(payload);
}
