// What generated code writes single values with: the writer of a graph without its graph.
// Everything else goes through PileFieldFormatters.
using System;
using System.ComponentModel;
using System.Runtime.CompilerServices;
using Pile.Codecs;

namespace Pile;

/// <summary>Writes single values. For generated code.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly ref struct PileFieldWriter
{
    internal readonly GraphWriter Graph;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal PileFieldWriter(GraphWriter graph) => Graph = graph;

    /// <summary>Begins values that are written one behind the other, with nothing else between them.</summary>
    /// <param name="fields">So many, or fewer.</param>
    /// <returns>Where to; to be given to <see cref="End"/>.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public PileFieldRun Begin(int fields)
    {
        // What a generator that is not ours says is checked: there is room for so many and no more.
        ArgumentOutOfRangeException.ThrowIfGreaterThan((uint)fields, (uint)WireRun.FieldsMax, nameof(fields));
        return new PileFieldRun(ref Graph.Begin(fields * WireRun.BytesMax), fields);
    }

    /// <summary>Ends what <see cref="Begin"/> began.</summary>
    /// <param name="run">It.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void End(PileFieldRun run) => Graph.End(ref run.At);

    /// <summary>Writes a string or null.</summary>
    /// <param name="value">The value.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Write(string? value) => Graph.WriteString(value);

    /// <summary>Writes an identifier.</summary>
    /// <param name="value">The value.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Write(ref readonly Guid value) => Graph.WriteGuid(in value);

    /// <summary>Writes a value.</summary>
    /// <param name="value">The value.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Write(bool value) => Graph.WriteBool(value);

    /// <summary>Writes a value.</summary>
    /// <param name="value">The value.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Write(sbyte value) => Graph.WriteSByte(value);

    /// <summary>Writes a value.</summary>
    /// <param name="value">The value.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Write(byte value) => Graph.WriteByte(value);

    /// <summary>Writes a value.</summary>
    /// <param name="value">The value.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Write(short value) => Graph.WriteInt16(value);

    /// <summary>Writes a value.</summary>
    /// <param name="value">The value.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Write(ushort value) => Graph.WriteUInt16(value);

    /// <summary>Writes a value.</summary>
    /// <param name="value">The value.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Write(int value) => Graph.WriteInt32(value);

    /// <summary>Writes a value.</summary>
    /// <param name="value">The value.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Write(uint value) => Graph.WriteUInt32(value);

    /// <summary>Writes a value.</summary>
    /// <param name="value">The value.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Write(long value) => Graph.WriteInt64(value);

    /// <summary>Writes a value.</summary>
    /// <param name="value">The value.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Write(ulong value) => Graph.WriteUInt64(value);

    /// <summary>Writes a value.</summary>
    /// <param name="value">The value.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Write(char value) => Graph.WriteChar(value);

    /// <summary>Writes a value.</summary>
    /// <param name="value">The value.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Write(float value) => Graph.WriteSingle(value);

    /// <summary>Writes a value.</summary>
    /// <param name="value">The value.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Write(double value) => Graph.WriteDouble(value);

    /// <summary>Writes a value.</summary>
    /// <param name="value">The value.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Write(decimal value) => Graph.WriteDecimal(value);

    /// <summary>Writes a value.</summary>
    /// <param name="value">The value.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Write(DateTime value) => Graph.WriteDateTime(value);

    /// <summary>Writes a value.</summary>
    /// <param name="value">The value.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Write(DateTimeOffset value) => Graph.WriteDateTimeOffset(value);
}
