// Whether stored payloads are of versions that are written today, told by schemas alone: nothing is read as an object, and no type becomes known to the
// pile. A type that the program has not shown yet is looked for, by its name, among those of the assemblies of which the type that was asked for is made.
using System;
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;
using System.IO;
using System.Linq;
using System.Reflection;

namespace Pile.Codecs;

/// <summary>Judges payloads that are to be of one type. For one thread.</summary>
internal sealed class StoredVersions(TypeTable table, Type asked)
{
    private KnownTypes Named => field ??= TypesBeside(asked);

    /// <summary>Whether all types of a payload would be written today as they stand there, as far as they are known.</summary>
    /// <param name="payload">The payload of a graph.</param>
    /// <param name="unknown">In: the name that was not known when it was read. Out: one of which no type here has the name; null where there is none.</param>
    /// <exception cref="PileCorruptedException">It is damaged.</exception>
    internal bool AreOfToday(ReadOnlySpan<byte> payload, [DisallowNull] ref string? unknown)
    {
        if (AheadOfTime.IsWhole)
        {
            return true;
        }

        unknown = TypeOf(unknown) is null ? unknown : null;
        foreach (TypeVersion version in DescriptionReader.VersionsIn(table, payload))
        {
            string name = version.Schema.TypeName;
            try
            {
                if (TypeOf(name) is { ContainsGenericParameters: false } type)
                {
                    if (!table.Writes(version, Plans.Of(type)))
                    {
                        return false;
                    }

                    continue;
                }
            }
            catch (Exception failure) when (IsOfMissing(failure))
            {
                // What it is made of is not there.
            }

            unknown ??= name;
        }

        return true;
    }

    /// <summary>Whether a payload's root is of the type that was asked for, by a name that it has or had, and the program's: a number or a Guid was never a class.</summary>
    /// <exception cref="PileCorruptedException">It is damaged.</exception>
    internal bool IsOfNamesake(ReadOnlySpan<byte> payload)
    {
        if (TypeName.IsFramework(asked) && !asked.IsGenericType)
        {
            return false;
        }

        var own = new KnownTypes();
        own.Add(asked);
        return own.Find(DescriptionReader.ReadTypeName(table, payload)) == asked;
    }

    private Type? TypeOf(string name) => table.Known.Find(name) ?? Named.Find(name);

    private static KnownTypes TypesBeside(Type asked)
    {
        var named = new KnownTypes();
        foreach (Assembly assembly in PartsOf(asked).Where(static part => !TypeName.IsFramework(part)).Select(static part => part.Assembly).Distinct())
        {
            try
            {
                named.AddAssembly(assembly);
            }
            catch (Exception failure) when (IsOfMissing(failure))
            {
                // An attribute of a type is of an assembly that is not there: the types behind it stay unknown.
            }
        }

        return named;
    }

    private static bool IsOfMissing(Exception failure) => failure is TypeLoadException or IOException or BadImageFormatException or CustomAttributeFormatException;

    private static IEnumerable<Type> PartsOf(Type type) =>
        type.GetElementType() is { } element ? PartsOf(element) : type.GetGenericArguments().SelectMany(PartsOf).Append(type);
}
