// What generated code writes several single values with, one behind the other: room for all of them is there from the beginning, and the
// place of the next one stays in a register. Text that is long, or no ASCII, goes the ordinary way (PileFieldWriter).
using System;
using System.ComponentModel;
using System.Runtime.CompilerServices;
using Pile.Codecs;
using Pile.Memory;

namespace Pile;

/// <summary>Writes single values that follow each other. For generated code.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public ref struct PileFieldRun
{
    internal ref byte At;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal PileFieldRun(ref byte at) => At = ref at;

    /// <summary>Writes a string or null.</summary>
    /// <param name="value">The value.</param>
    /// <param name="writer">The writer that began this.</param>
    /// <param name="rest">So many values are to follow, or fewer.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Write(string? value, PileFieldWriter writer, int rest)
    {
        if (value is not null && value.Length <= WireRun.TextCharsMax && ByteRun.TryStoreAscii(ref At, (byte)(WireCode.FixText | value.Length), value))
        {
            At = ref ByteRun.Behind(ref At, 1 + value.Length);
        }
        else
        {
            At = ref WriteAnyString(ref At, value, writer, rest);
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static ref byte WriteAnyString(ref byte at, string? value, PileFieldWriter writer, int rest)
    {
        writer.Graph.End(ref at);
        writer.Graph.WriteString(value);
        return ref writer.Graph.Begin(rest * WireRun.BytesMax);
    }

    /// <summary>Writes an identifier.</summary>
    /// <param name="value">The value.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Write(ref readonly Guid value) => At = ref WireRun.Guid(ref At, in value);

    /// <summary>Writes a value.</summary>
    /// <param name="value">The value.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Write(bool value) => At = ref WireRun.Bool(ref At, value);

    /// <summary>Writes a value.</summary>
    /// <param name="value">The value.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Write(sbyte value) => At = ref WireRun.Int32(ref At, value);

    /// <summary>Writes a value.</summary>
    /// <param name="value">The value.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Write(byte value) => At = ref WireRun.Int32(ref At, value);

    /// <summary>Writes a value.</summary>
    /// <param name="value">The value.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Write(short value) => At = ref WireRun.Int32(ref At, value);

    /// <summary>Writes a value.</summary>
    /// <param name="value">The value.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Write(ushort value) => At = ref WireRun.Int32(ref At, value);

    /// <summary>Writes a value.</summary>
    /// <param name="value">The value.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Write(int value) => At = ref WireRun.Int32(ref At, value);

    /// <summary>Writes a value.</summary>
    /// <param name="value">The value.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Write(uint value) => At = ref WireRun.UInt32(ref At, value);

    /// <summary>Writes a value.</summary>
    /// <param name="value">The value.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Write(long value) => At = ref WireRun.Int64(ref At, value);

    /// <summary>Writes a value.</summary>
    /// <param name="value">The value.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Write(ulong value) => At = ref WireRun.UInt64(ref At, value);

    /// <summary>Writes a value.</summary>
    /// <param name="value">The value.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Write(char value) => At = ref WireRun.Int32(ref At, value);

    /// <summary>Writes a value.</summary>
    /// <param name="value">The value.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Write(float value) => At = ref WireRun.Single(ref At, value);

    /// <summary>Writes a value.</summary>
    /// <param name="value">The value.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Write(double value) => At = ref WireRun.Double(ref At, value);

    /// <summary>Writes a value.</summary>
    /// <param name="value">The value.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Write(decimal value) => At = ref WireRun.Decimal(ref At, value);

    /// <summary>Writes a value.</summary>
    /// <param name="value">The value.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Write(DateTime value) => At = ref WireRun.DateTime(ref At, value);

    /// <summary>Writes a value.</summary>
    /// <param name="value">The value.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Write(DateTimeOffset value) => At = ref WireRun.DateTimeOffset(ref At, value);
}
