// The formatters of a type's fields as generated code sees them: values that are no single MessagePack value go through here.
// Fields are named by their place, which the registration has checked.
using System.ComponentModel;
using System.Runtime.CompilerServices;
using Pile.Codecs;
using Pile.Memory;

namespace Pile;

/// <summary>Writes and reads fields of any type. For generated code.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly ref struct PileFieldFormatters
{
    private readonly Formatter[] _formatters;

    internal PileFieldFormatters(Formatter[] formatters) => _formatters = formatters;

    /// <summary>Writes a field.</summary>
    /// <typeparam name="TField">Its type.</typeparam>
    /// <param name="place">Its place, from 0.</param>
    /// <param name="writer">Where to.</param>
    /// <param name="value">Its value.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Write<TField>(int place, PileFieldWriter writer, TField value) =>
        RawValue.As<Formatter<TField>>(_formatters[place]).Write(writer.Graph, value);

    /// <summary>Reads a field.</summary>
    /// <typeparam name="TField">Its type.</typeparam>
    /// <param name="place">Its place, from 0.</param>
    /// <param name="reader">Where from.</param>
    /// <returns>Its value.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public TField Read<TField>(int place, ref PileFieldReader reader) =>
        RawValue.As<Formatter<TField>>(_formatters[place]).Read(ref reader.Graph);
}
