// The fields that a class adds to a base which is kept in another way: a List with a name, an exception with a code.
// The same fields, by the same means, as those of a class kept by fields alone.
using System;
using System.Collections.Generic;
using Pile.Memory;

namespace Pile.Codecs;

/// <summary>Fields of a class below one of its bases.</summary>
internal abstract class ObjectFields
{
    /// <summary>Their names and formatters.</summary>
    internal abstract IReadOnlyList<PlanMember> Members { get; }

    /// <inheritdoc cref="Plan.Drops"/>
    internal virtual bool Drops(int index) => false;

    internal abstract void Write(GraphWriter writer, object value);

    internal abstract void Read(ref GraphReader reader, object value);

    /// <summary>The fields of a type down to, and not including, a base.</summary>
    internal static ObjectFields Of(Type type, Type below) =>
        (ObjectFields)Activator.CreateInstance(typeof(Typed<>).MakeGenericType(type), below)!;

    private sealed class Typed<T>(Type below) : ObjectFields
        where T : class
    {
        private readonly FieldSet<T> _fields = new(TypeFields.Of(typeof(T), below), isWhole: false);

        internal override IReadOnlyList<PlanMember> Members => _fields.Members;

        internal override void Write(GraphWriter writer, object value)
        {
            T typed = RawValue.As<T>(value);
            _fields.Write(writer, ref typed);
        }

        internal override void Read(ref GraphReader reader, object value)
        {
            T typed = RawValue.As<T>(value);
            _fields.Read(ref reader, ref typed);
        }
    }
}
