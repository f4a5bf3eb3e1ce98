// What generated code writes several single values with, one behind the other: room for all of them is there from the beginning, and the
// place of the next one stays in a register. Text that is long, or no ASCII, goes the ordinary way (PileFieldWriter).
using System;
using System.ComponentModel;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using Pile.Codecs;
using Pile.Memory;

namespace Pile;

/// <summary>Writes single values that follow each other. For generated code.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public ref struct PileFieldRun
{
    internal ref byte At;
    private int _left;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal PileFieldRun(ref byte at, int fields)
    {
        At = ref at;
        _left = fields;
    }

    /// <summary>Writes a string or null.</summary>
    /// <param name="value">The value.</param>
    /// <param name="writer">The writer that began this.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Write(string? value, PileFieldWriter writer)
    {
        ref byte at = ref Next();
        if (value is not null && value.Length <= WireRun.TextCharsMax && ByteRun.TryStoreAscii(ref at, (byte)(WireCode.FixText | value.Length), value))
        {
            At = ref ByteRun.Behind(ref at, 1 + value.Length);
        }
        else
        {
            At = ref WriteAnyString(ref at, value, writer, _left);
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static ref byte WriteAnyString(ref byte at, string? value, PileFieldWriter writer, int left)
    {
        writer.Graph.End(ref at);
        writer.Graph.WriteString(value);
        return ref writer.Graph.Begin(left * WireRun.BytesMax);
    }

    /// <summary>Writes an identifier.</summary>
    /// <param name="value">The value.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Write(ref readonly Guid value) => At = ref WireRun.Guid(ref Next(), in value);

    /// <summary>Writes a value.</summary>
    /// <param name="value">The value.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Write(bool value) => At = ref WireRun.Bool(ref Next(), value);

    /// <summary>Writes a value.</summary>
    /// <param name="value">The value.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Write(sbyte value) => At = ref WireRun.Int32(ref Next(), value);

    /// <summary>Writes a value.</summary>
    /// <param name="value">The value.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Write(byte value) => At = ref WireRun.Int32(ref Next(), value);

    /// <summary>Writes a value.</summary>
    /// <param name="value">The value.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Write(short value) => At = ref WireRun.Int32(ref Next(), value);

    /// <summary>Writes a value.</summary>
    /// <param name="value">The value.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Write(ushort value) => At = ref WireRun.Int32(ref Next(), value);

    /// <summary>Writes a value.</summary>
    /// <param name="value">The value.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Write(int value) => At = ref WireRun.Int32(ref Next(), value);

    /// <summary>Writes a value.</summary>
    /// <param name="value">The value.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Write(uint value) => At = ref WireRun.UInt32(ref Next(), value);

    /// <summary>Writes a value.</summary>
    /// <param name="value">The value.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Write(long value) => At = ref WireRun.Int64(ref Next(), value);

    /// <summary>Writes a value.</summary>
    /// <param name="value">The value.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Write(ulong value) => At = ref WireRun.UInt64(ref Next(), value);

    /// <summary>Writes a value.</summary>
    /// <param name="value">The value.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Write(char value) => At = ref WireRun.Int32(ref Next(), value);

    /// <summary>Writes a value.</summary>
    /// <param name="value">The value.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Write(float value) => At = ref WireRun.Single(ref Next(), value);

    /// <summary>Writes a value.</summary>
    /// <param name="value">The value.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Write(double value) => At = ref WireRun.Double(ref Next(), value);

    /// <summary>Writes a value.</summary>
    /// <param name="value">The value.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Write(decimal value) => At = ref WireRun.Decimal(ref Next(), value);

    /// <summary>Writes a value.</summary>
    /// <param name="value">The value.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Write(DateTime value) => At = ref WireRun.DateTime(ref Next(), value);

    /// <summary>Writes a value.</summary>
    /// <param name="value">The value.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Write(DateTimeOffset value) => At = ref WireRun.DateTimeOffset(ref Next(), value);

    [DoesNotReturn]
    private static void ThrowFull() =>
        throw new InvalidOperationException("More values are written than the run was begun for. PileFieldRun is for generated code: build with the generator of this version of Pile.");

    /// <summary>The place of the next value; whoever begins a run has room for so many and no more.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private ref byte Next()
    {
        if (--_left < 0)
        {
            ThrowFull();
        }

        return ref At;
    }
}
