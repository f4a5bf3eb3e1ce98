// From the fields of an old version to those of today: by name and declaring type, by a former name ([PileName]) of the same type, by that alone,
// or by name alone where a field moved to a base. What has no place any more is gone over; what is new stays at its default value. The case of an F# union is found by its name (MappedUnion).
using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;

namespace Pile.Codecs;

/// <summary>Reads old fields into today's objects.</summary>
internal sealed class MappedFields : ObjectFields
{
    private readonly List<(SchemaField Old, FieldInfo? Target, Formatter? Formatter)> _steps = [];
    private readonly List<PlanMember> _members = [];
    private readonly MappedUnion? _union;

    /// <param name="version">The old version.</param>
    /// <param name="type">Today's type.</param>
    /// <param name="below">The base whose fields are not meant, or null.</param>
    /// <param name="old">The old fields.</param>
    internal MappedFields(TypeVersion version, Type type, Type? below, IReadOnlyList<SchemaField> old)
    {
        _union = below is null ? MappedUnion.Of(version, type, old) : null;
        List<FieldInfo> free = TypeFields.Of(type, below);
        if (_union is not null)
        {
            _ = free.RemoveAll(UnionCases.IsTag);
        }

        FieldInfo?[] targets = new FieldInfo?[old.Count];
        Match(old, targets, free, static (field, target) => IsNamed(target.DeclaringType!, field.Declaring) && TypeFields.NameOf(target) == field.Name);
        Match(old, targets, free, static (field, target) => IsNamed(target.DeclaringType!, field.Declaring) && TypeFields.OldNamesOf(target).Contains(field.Name));
        Match(old, targets, free, static (field, target) => TypeFields.OldNamesOf(target).Contains(field.Name));
        Match(old, targets, free, static (field, target) => TypeFields.NameOf(target) == field.Name);
        Match(old, targets, free, static (field, target) => IsNamed(target.DeclaringType!, field.Declaring) && TypeFields.ParameterOf(field.Name) is { } parameter && TypeFields.OldNamesOf(target).Contains(parameter));
        Match(old, targets, free, static (field, target) => IsNamed(target.DeclaringType!, field.Declaring) && UnionCases.IsFirstValue(target, field.Name));
        MatchCutNames(old, targets, free, TypeFields.Of(type, below));
        for (int index = 0; index < old.Count; index++)
        {
            FieldInfo? target = targets[index];
            Formatter? formatter = target is null ? null : MappedFormatter.Of(target.FieldType, version, old[index]);
            _steps.Add((old[index], target, formatter));
            _members.Add(new PlanMember(old[index].Declaring, old[index].Name, formatter ?? Formatters.Of<object>()));
        }
    }

    internal override IReadOnlyList<PlanMember> Members => _members;

    internal override bool Drops(int index) => index < _steps.Count && _steps[index].Target is null;

    internal override void Write(GraphWriter writer, object value) => throw new InvalidOperationException("Mapped fields are only read.");

    internal override void Read(ref GraphReader reader, object value)
    {
        for (int index = 0; index < _steps.Count; index++)
        {
            (SchemaField old, FieldInfo? target, Formatter? formatter) = _steps[index];
            if (index == _union?.OldTag)
            {
                _union.Read(ref reader, old, value);
            }
            else if (target is null)
            {
                SchemaSkipper.SkipValue(ref reader, old);
            }
            else
            {
                target.SetValue(value, formatter!.ReadObject(ref reader));
            }
        }

        _union?.Complete(value);
    }

    /// <summary>What no type declares is no field: a comparer that today's collection does not have.</summary>
    private static void Match(IReadOnlyList<SchemaField> old, FieldInfo?[] targets, List<FieldInfo> free, Func<SchemaField, FieldInfo, bool> fits)
    {
        for (int index = 0; index < old.Count; index++)
        {
            if (targets[index] is null && old[index].Declaring.Length > 0 && free.Find(target => fits(old[index], target)) is { } found)
            {
                targets[index] = found;
                _ = free.Remove(found);
            }
        }
    }

    /// <summary>Old bytes have a part of some names. Where it may stand for several fields nothing says for which: they are gone over.</summary>
    private static void MatchCutNames(IReadOnlyList<SchemaField> old, FieldInfo?[] targets, List<FieldInfo> free, List<FieldInfo> all)
    {
        foreach (FieldInfo target in free.FindAll(static field => TypeFields.CutNameOf(field) is not null))
        {
            string name = TypeFields.CutNameOf(target)!;
            int[] found = [.. Enumerable.Range(0, old.Count).Where(index => old[index].Name == name && IsNamed(target.DeclaringType!, old[index].Declaring)).Take(2)];
            if (found.Length == 1 && targets[found[0]] is null && all.Count(field => field.DeclaringType == target.DeclaringType && TypeFields.CutNameOf(field) == name) == 1)
            {
                targets[found[0]] = target;
                _ = free.Remove(target);
            }
        }
    }

    /// <summary>Whether a stored name is a type's, today or formerly.</summary>
    internal static bool IsNamed(Type type, string name) =>
        TypeName.Of(type) == name || TypeName.FormerOf(type).Contains(name);
}
