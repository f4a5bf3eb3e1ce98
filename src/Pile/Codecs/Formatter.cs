// Writes and reads values in places of one static type: a field, an element, a key. What it writes is one MessagePack value.
// It does not know where it stands; tags, references and deferral are GraphWriter's and GraphReader's.
using System;

namespace Pile.Codecs;

/// <summary>A formatter of values whose static type is known only at run time. Thread-safe, one a type and process.</summary>
internal abstract class Formatter(Type type, WireKind kind)
{
    /// <summary>The static type of the place.</summary>
    internal Type Type { get; } = type;

    /// <summary>What may stand there.</summary>
    internal WireKind Kind { get; } = kind;

    /// <summary>The type written there without a tag, if there is one.</summary>
    internal virtual Plan? Nested => null;

    /// <summary>Whether hash code and order of a value are settled as soon as it is read.</summary>
    internal virtual bool IsSettled => (Kind & ~WireKind.Nullable) is not (WireKind.Any or WireKind.Exact or WireKind.Inline or WireKind.Refused);

    /// <summary>Bytes that a value takes at least.</summary>
    internal virtual int LeastBytes => 1;

    /// <summary>Writes a boxed value.</summary>
    internal abstract void WriteObject(GraphWriter writer, object? value);

    /// <summary>Reads a value into a box.</summary>
    internal abstract object? ReadObject(ref GraphReader reader);
}

/// <summary>A formatter of values of static type T.</summary>
internal abstract class Formatter<T>(WireKind kind) : Formatter(typeof(T), kind)
{
    /// <summary>Writes a value.</summary>
    internal abstract void Write(GraphWriter writer, T value);

    /// <summary>Reads a value.</summary>
    internal abstract T Read(ref GraphReader reader);

    internal sealed override void WriteObject(GraphWriter writer, object? value) => Write(writer, (T)value!);

    internal sealed override object? ReadObject(ref GraphReader reader) => Read(ref reader);
}
