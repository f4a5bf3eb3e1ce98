// Anonymous types of C# and Visual Basic: the compiler numbers them by where they stand in the source, so that after an edit the name of one is
// another's. What was stored is today's type of its name only where the names of the fields are the same in the same order.
using System;
using System.Linq;
using System.Runtime.CompilerServices;

namespace Pile.Codecs;

/// <summary>Tells whether a stored anonymous type is today's of its number.</summary>
internal static class AnonymousTypes
{
    /// <summary>Refuses a stored version that is another anonymous type than today's of its name.</summary>
    /// <exception cref="PileUnknownTypeException">Its fields have other names, or another order.</exception>
    internal static void RefuseOther(Type type, Schema schema)
    {
        if (!IsAnonymous(type))
        {
            return;
        }

        string[] today = [.. TypeFields.Of(type).Select(TypeFields.NameOf)];
        string[] stored = [.. schema.Fields.Select(static field => field.Name)];
        if (!stored.SequenceEqual(today))
        {
            throw new PileUnknownTypeException(
                $"A stored object is of an anonymous type with {List(stored)}, {schema.TypeName}; that is one with {List(today)} by now: the compiler numbers such types anew with each edit, and which one it was is not known. Store objects of a class or record of your own instead. The bytes stay readable without it: pile.Describe(pointer), pile.ToJson(pointer).",
                schema.TypeName);
        }
    }

    private static bool IsAnonymous(Type type) =>
        (type.Name.StartsWith("<>f__AnonymousType", StringComparison.Ordinal) || type.Name.StartsWith("VB$AnonymousType", StringComparison.Ordinal))
        && type.IsDefined(typeof(CompilerGeneratedAttribute), inherit: false);

    /// <summary>The names as the source has them: of C#'s &lt;Id&gt;i__Field and Visual Basic's $Id.</summary>
    private static string List(string[] fields) =>
        fields.Length == 0 ? "no fields" : string.Join(", ", fields.Select(static field => field.Split('>')[0].TrimStart('<', '$')));
}
