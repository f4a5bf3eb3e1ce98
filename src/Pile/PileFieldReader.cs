// What generated code reads single values with: the reader of a graph under a name of its own (same layout, FieldSet).
// Everything else goes through PileFieldFormatters.
using System;
using System.ComponentModel;
using System.Runtime.CompilerServices;
using Pile.Codecs;

namespace Pile;

/// <summary>Reads single values. For generated code.</summary>
/// <remarks>Each method throws <see cref="PileCorruptedException"/> where another value stands.</remarks>
[EditorBrowsable(EditorBrowsableState.Never)]
public ref struct PileFieldReader
{
    internal GraphReader Graph;

    /// <summary>Reads a string or null.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public string? ReadString() => Graph.ReadString();

    /// <summary>Reads an identifier.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public Guid ReadGuid() => Graph.Wire.ReadGuid();

    /// <summary>Reads a value.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool ReadBoolean() => Graph.Wire.ReadBool();

    /// <summary>Reads a value.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public sbyte ReadSByte() => Graph.Wire.ReadSByte();

    /// <summary>Reads a value.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public byte ReadByte() => Graph.Wire.ReadByte();

    /// <summary>Reads a value.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public short ReadInt16() => Graph.Wire.ReadInt16();

    /// <summary>Reads a value.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public ushort ReadUInt16() => Graph.Wire.ReadUInt16();

    /// <summary>Reads a value.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public int ReadInt32() => Graph.Wire.ReadInt32();

    /// <summary>Reads a value.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public uint ReadUInt32() => Graph.Wire.ReadUInt32();

    /// <summary>Reads a value.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public long ReadInt64() => Graph.Wire.ReadInt64();

    /// <summary>Reads a value.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public ulong ReadUInt64() => Graph.Wire.ReadUInt64();

    /// <summary>Reads a value.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public char ReadChar() => Graph.Wire.ReadChar();

    /// <summary>Reads a value.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public float ReadSingle() => Graph.Wire.ReadSingle();

    /// <summary>Reads a value.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public double ReadDouble() => Graph.Wire.ReadDouble();

    /// <summary>Reads a value.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public decimal ReadDecimal() => Graph.Wire.ReadDecimal();

    /// <summary>Reads a value.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public DateTime ReadDateTime() => Graph.Wire.ReadDateTime();

    /// <summary>Reads a value.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public DateTimeOffset ReadDateTimeOffset() => Graph.Wire.ReadDateTimeOffset();
}
