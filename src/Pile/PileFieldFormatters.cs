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

    private readonly bool _isList;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal PileFieldFormatters(Formatter[] formatters, bool isList) => (_formatters, _isList) = (formatters, isList);

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

    /// <summary>Writes the last field of an object, where it is of the object's own class.</summary>
    /// <typeparam name="TObject">The class.</typeparam>
    /// <param name="writer">Where to.</param>
    /// <param name="value">The field's value.</param>
    /// <returns>Whether the fields of that object are to be written next, by the caller.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool WriteNext<TObject>(PileFieldWriter writer, TObject? value)
        where TObject : class
    {
        if (_isList)
        {
            return RawValue.As<ExactFormatter<TObject>>(_formatters[^1]).WriteNext(writer.Graph, value, _formatters.Length);
        }

        Write(_formatters.Length - 1, writer, value);
        return false;
    }

    /// <summary>Reads the last field of an object, where it is of the object's own class.</summary>
    /// <typeparam name="TObject">The class.</typeparam>
    /// <param name="reader">Where from.</param>
    /// <param name="value">The field's value.</param>
    /// <returns>Whether the fields of that object are to be read next, by the caller.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool ReadNext<TObject>(ref PileFieldReader reader, out TObject? value)
        where TObject : class
    {
        if (_isList)
        {
            return RawValue.As<ExactFormatter<TObject>>(_formatters[^1]).ReadNext(ref reader.Graph, _formatters.Length, out value);
        }

        value = Read<TObject?>(_formatters.Length - 1, ref reader);
        return false;
    }
}
