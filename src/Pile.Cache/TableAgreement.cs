// Whether the table of a name is the one that a call asks for: types, kind and comparer must agree, and the call is refused where they do not.
// What else differs is not applied, for others use the table as it is; it is said.
using System;
using System.Collections.Generic;
using System.Diagnostics.Tracing;
using System.Linq;
using Pile.Cache.Engine;
using Pile.Cache.Files;
using Pile.Codecs;
using Pile.Diagnostics;

namespace Pile.Cache;

/// <summary>Tables against what they are asked for by.</summary>
internal static class TableAgreement
{
    /// <summary>Whether kind and comparer are those asked for.</summary>
    internal static bool IsSame(PileTableOptions present, PileTableOptions? asked) =>
        asked is null || (present.Kind == asked.Kind && PileKeyComparers.AreSame(present.Comparer, asked.Comparer));

    /// <summary>What is thrown for a table in use that is another one.</summary>
    internal static PileTypeMismatchException Other<TKey, TValue>(string name, IPileTableCore present, PileTableOptions? asked)
        where TKey : notnull
        where TValue : notnull => new(
        $"The table '{name}' is {present.Core.Parts.Options.Kind} with {present.Describe()}; asked for were {(asked is null ? string.Empty : $"{asked.Kind}, ")}keys of {typeof(TKey)} and values of {typeof(TValue)}{(IsNamesake<TKey, TValue>(present) ? " of another load context, or another assembly" : string.Empty)}{(asked is null ? string.Empty : $", compared by '{asked.Comparer.Name}'")}. Use another name, or drop the table first.", default);

    /// <summary>Whether a table is of other types, which have the same names.</summary>
    private static bool IsNamesake<TKey, TValue>(IPileTableCore present)
        where TKey : notnull
        where TValue : notnull =>
        present is not PileTable<TKey, TValue> && present.Describe().StartsWith($"keys of {typeof(TKey)} and values of {typeof(TValue)},", StringComparison.Ordinal);

    /// <summary>Refuses to take a table of the files for one of other types, comparer or kind.</summary>
    /// <exception cref="PileTypeMismatchException">It is another one.</exception>
    internal static void RefuseOther<TKey, TValue>(PileTableOptions present, PileTableOptions asked, bool isGiven)
    {
        bool isOfKeys = IsOf<TKey>(present.KeyType, asked.KeyType);
        bool isOfValues = IsOf<TValue>(present.ValueType, asked.ValueType);
        bool isOtherLayout = isOfKeys && isOfValues && (TypeMarks.IsOtherLayout<TKey>(present.KeyType) || TypeMarks.IsOtherLayout<TValue>(present.ValueType));
        if (!isOfKeys || !isOfValues || isOtherLayout || present.Comparer.Name != asked.Comparer.Name || (isGiven && present.Kind != asked.Kind))
        {
            throw new PileTypeMismatchException(
                $"The table '{present.Name}' was made as {present.Kind} with keys of {present.KeyType} and values of {present.ValueType}, compared by '{present.Comparer.Name}'; asked for were {(isGiven ? asked.Kind : present.Kind)}, keys of {asked.KeyType} and values of {asked.ValueType}, compared by '{asked.Comparer.Name}'. Use another name, or drop the table first{(isOtherLayout ? $"; structs are kept as their bytes, which have no versions: give the fields the places and types of then, [PileName] to those that have another name now, or keep such values in a class{TypeMarks.TriedOf<TKey>()}{TypeMarks.TriedOf<TValue>()}" : isOfKeys && isOfValues ? null : $"; where the type of the {(isOfKeys ? "values" : "keys")} had that name, mark it with [PileName]")}.", default);
        }
    }

    private static bool IsOf<T>(string present, string asked) => TypeMarks.WithoutMark(present) == TypeMarks.WithoutMark(asked) || IsFormer(typeof(T), TypeMarks.WithoutMark(present));

    /// <summary>Whether a type, or a part of it, had another name, as [PileName] says, and the whole this one.</summary>
    private static bool IsFormer(Type type, string name) => NamesOf(type).Any(each => TableOptionsLayout.Cut(each) == name);

    /// <summary>The names that a type has and had, as <see cref="Type.ToString"/> writes them, without assemblies.</summary>
    private static IEnumerable<string> NamesOf(Type type)
    {
        if (type.GetElementType() is { } element)
        {
            string dimensions = type.ToString()[element.ToString().Length..];
            return NamesOf(element).Select(each => each + dimensions);
        }

        Type definition = type.IsConstructedGenericType ? type.GetGenericTypeDefinition() : type;
        IEnumerable<string> own = TypeName.FormerOf(definition).Select(static former => former[(former.IndexOf('!', StringComparison.Ordinal) + 1)..]).Prepend(definition.FullName!);
        if (definition == type)
        {
            return own;
        }

        IEnumerable<string> parts = type.GetGenericArguments().Select(NamesOf).Aggregate((before, next) => before.SelectMany(each => next.Select(last => $"{each},{last}")));
        return own.SelectMany(each => parts.Select(inner => $"{each}[{inner}]"));
    }

    /// <summary>Says, once for a table, that it was asked for by options that it does not have. Under the cache's lock of tables.</summary>
    internal static void SayIgnored(ObjectPile pile, TableBase table, PileTableOptions? asked)
    {
        if (asked is not null && !table.HasSaidIgnored && table.Options.NamesOfOthers(asked) is { Length: > 0 } others)
        {
            table.HasSaidIgnored = true;
            EventsAside.Tell(EventLevel.Warning, () => PileEventSource.Log.TableOptionsIgnored(pile.Tag, table.Options.Name, others));
        }
    }
}
