// The types that a pile may create: those the program added, named, or put, with all that their fields name, and the
// framework's own containers of them, and what its types among those lead to. A stored name is looked up here and nowhere else; it never loads anything. Where one is not found, the
// types that were shown are asked once each for those of which they tell: derived ones in attributes, the compiler's in their assemblies.
using System;
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Runtime.Serialization;
using System.Text.Json.Serialization;
using System.Threading;

namespace Pile.Codecs;

/// <summary>A set of types by stored name. Thread-safe.</summary>
internal sealed class KnownTypes
{
    private readonly Lock _gate = new();
    private readonly Dictionary<string, Type> _byName = [];
    private readonly HashSet<Type> _added = [];

    /// <summary>Of those, the program's own that nobody has asked yet for what they tell of, and the assemblies that were.</summary>
    private readonly Stack<Type> _unasked = [];
    private readonly HashSet<Assembly> _asked = [];

    /// <summary>Of those, the framework's whose kin nobody has asked for yet, and the kin of the others. Asked once a name is missed: a Put pays nothing for it.</summary>
    private readonly Stack<Type> _withoutKin = [];
    private readonly Dictionary<string, Type> _kin = [];
    private bool _isClosed;

    /// <summary>Whether only types added so far may be written or read.</summary>
    internal bool IsClosed => Volatile.Read(ref _isClosed);

    /// <summary>Ends the growth of the set.</summary>
    internal void Close() => Volatile.Write(ref _isClosed, true);

    /// <summary>Adds a type and everything that it names: arguments, elements, fields, bases, and the types nested in it that derive from it.</summary>
    internal void Add(Type type)
    {
        lock (_gate)
        {
            AddLocked(type);
        }
    }

    /// <summary>Adds all types of an assembly; what they name is found when they are used.</summary>
    internal void AddAssembly(Assembly assembly)
    {
        lock (_gate)
        {
            foreach (Type type in LoadedTypesOf(assembly))
            {
                if (!type.IsInterface && !(type.IsAbstract && type.IsSealed))
                {
                    AddNamesLocked(type);
                }
            }
        }
    }

    /// <summary>Lets a type in that the program is putting or naming, unless the set is closed.</summary>
    /// <exception cref="PileUnknownTypeException">The set is closed and does not have it.</exception>
    internal void Admit(Type type)
    {
        lock (_gate)
        {
            if (_added.Contains(type))
            {
                return;
            }

            if (!_isClosed)
            {
                AddLocked(type);
            }
            else if (FindLocked(TypeName.Of(type)) is null)
            {
                throw new PileUnknownTypeException(
                    $"{TypeName.Display(type)} is not among the types of this pile, and the set is closed. Add it before pile.Types.Close(): {LineToAdd(MissingLocked(TypeName.Of(type)))}.",
                    TypeName.Of(type));
            }
        }
    }

    /// <summary>Adds a type that the program names in a read which has met a name that is not known, and what the types that were shown tell of.</summary>
    /// <returns>False when that adds nothing: it is known, or the set is closed.</returns>
    internal bool TryName(Type type)
    {
        lock (_gate)
        {
            if (_isClosed)
            {
                return false;
            }

            int before = _added.Count + _byName.Count;
            AddLocked(type);
            while (_unasked.TryPop(out Type? shown))
            {
                try
                {
                    AddToldLocked(shown);
                }
                catch (Exception missing) when (missing is TypeLoadException or IOException or BadImageFormatException or CustomAttributeFormatException)
                {
                    // An attribute names a type whose assembly is not there: so it is in no object either.
                }
            }

            return _added.Count + _byName.Count > before;
        }
    }

    /// <summary>The type of a stored name, or null.</summary>
    internal Type? Find(string name)
    {
        lock (_gate)
        {
            return FindLocked(name);
        }
    }

    /// <summary>What a program is to do about a type that is not known, or about that of its parts which is not: the line of code that makes it
    /// known, and how one is marked that had this name.</summary>
    internal string WayOut(string name)
    {
        lock (_gate)
        {
            string missing = MissingLocked(name);
            string add = $"If it is one of yours, add it before reading: {LineToAdd(missing)}";
            int mark = missing.IndexOf('!', StringComparison.Ordinal);
            if (mark < 0 || missing.Contains('@', StringComparison.Ordinal) || (missing.Contains('<', StringComparison.Ordinal) && !TypeName.IsFileScoped(missing)))
            {
                return add + ".";
            }

            // The one that it has become, where only the assembly has another name.
            string? moved = _byName.Keys.FirstOrDefault(known => known.IndexOf('!', StringComparison.Ordinal) is var at and >= 0 && known.AsSpan(at).SequenceEqual(missing.AsSpan(mark)));
            return moved is null
                ? $"{add}; if it is called otherwise today, or is in another assembly, mark it with [PileName(\"{missing}\")]{MarkOfUnion(missing)}, and name or add it."
                : $"If it is the {moved} of today, mark that with [PileName(\"{missing}\")]{MarkOfUnion(missing)}, or its assembly with [assembly: PileName(\"{missing[..mark]}\")]; if not, add it before reading: {LineToAdd(missing)}.";
        }
    }

    /// <summary>Where the mark is to stand if a nested type is the class of a case, on which F# puts none.</summary>
    private static string MarkOfUnion(string missing) => missing.LastIndexOf('+') is var nested and > 0
        ? $" (where it is a case of an F# union, that union with [<PileName(\"{missing[..nested]}\")>])"
        : "";

    private static string LineToAdd(string missing)
    {
        int assembly = missing.IndexOf('!', StringComparison.Ordinal);
        bool isPublic = true;
        string? beside = assembly < 0 ? FrameworkKin.LineBeside(missing, out isPublic) : null;
        if (beside is not null && !isPublic)
        {
            return beside;
        }

        if (missing.AsSpan().ContainsAny('<', '@'))
        {
            // A class of the compiler's own, which no program can name.
            return $"pile.Types.AddAssemblyOf<T>(), where T is a type of {(assembly < 0 ? "its assembly" : missing[..assembly])}";
        }

        string source = TypeName.ToSource(missing);
        string line = source.EndsWith('>') || source.Contains(">.", StringComparison.Ordinal) ? $"pile.Types.Add(typeof({source}))" : $"pile.Types.Add<{source}>()";
        return assembly > 0
            ? $"{line}, or, where the program can't name it, pile.Types.AddAssemblyOf<T>(), where T is a type of {missing[..assembly]}"
            : beside is not null ? $"{line}, or, where the program can't name it, {beside}"
            : line;
    }

    private string MissingLocked(string name)
    {
        string missing = name;
        _ = TypeNameParser.Resolve(name, part =>
        {
            Type? found = FindDefinitionLocked(part);
            missing = found is null ? part : missing;
            return found;
        });
        return missing;
    }

    private Type? FindLocked(string name) => _byName.TryGetValue(name, out Type? known) ? known : TypeNameParser.Resolve(name, FindDefinitionLocked);

    private Type? FindDefinitionLocked(string name) => _byName.GetValueOrDefault(name) ?? Treatments.FrameworkType(name) ?? KinLocked(name) ?? CompilersLists.Find(name);

    private Type? KinLocked(string name)
    {
        if (name.Contains('!', StringComparison.Ordinal))
        {
            return null;
        }

        FrameworkKin.AddTo(_kin, _withoutKin);
        return _kin.GetValueOrDefault(name);
    }

    private void AddLocked(Type root)
    {
        Stack<Type> open = new([root]);
        while (open.TryPop(out Type? type))
        {
            if (type.IsPointer || type.IsByRef || type.IsFunctionPointer || type.IsGenericParameter || !_added.Add(type))
            {
                continue;
            }

            if (type.HasElementType)
            {
                open.Push(type.GetElementType()!);
                continue;
            }

            AddNamesLocked(type);
            foreach (Type argument in type.GetGenericArguments())
            {
                open.Push(argument);
            }

            // What the fields of one of endlessly many would lead to has no end; what it consists of has.
            bool isFramework = TypeName.IsFramework(type);
            if (isFramework || TypeName.IsDeep(type))
            {
                if (isFramework)
                {
                    _withoutKin.Push(type);
                }

                continue;
            }

            _unasked.Push(type);
            foreach (FieldInfo field in TypeFields.Of(type))
            {
                open.Push(field.FieldType);
            }

            if (type.BaseType is { } above)
            {
                open.Push(above);
            }

            foreach (Type derived in NestedHeirsOf(type))
            {
                open.Push(derived);
            }
        }
    }

    /// <summary>The types nested in one that derive from it: the cases of a union, or of a hierarchy that is closed by being nested.</summary>
    private static IEnumerable<Type> NestedHeirsOf(Type type)
    {
        foreach (Type nested in NestedIn(type))
        {
            if (HeirIn(nested, type) is { } heir)
            {
                yield return heir;
            }
        }
    }

    /// <summary>A nested type with the arguments of the one around it, if it derives from that. None that can't be made: its parameters may be narrower, or a part of it not there.</summary>
    private static Type? HeirIn(Type nested, Type type)
    {
        Type[] arguments = type.GetGenericArguments();
        if (nested.GetGenericArguments().Length != arguments.Length)
        {
            return null;
        }

        try
        {
            Type closed = arguments.Length == 0 ? nested : nested.MakeGenericType(arguments);
            return closed.IsAssignableTo(type) ? closed : null;
        }
        catch (Exception failure) when (failure is ArgumentException or TypeLoadException or IOException or BadImageFormatException)
        {
            return null;
        }
    }

    // All are loaded, also those that build on an assembly which is not there: of such a type none is told here.
    private static Type[] NestedIn(Type type)
    {
        try
        {
            return type.GetNestedTypes(BindingFlags.Public | BindingFlags.NonPublic);
        }
        catch (Exception failure) when (failure is TypeLoadException or IOException or BadImageFormatException)
        {
            return [];
        }
    }

    /// <summary>Adds the derived types in attributes of a type, and what the compiler made of collection expressions in its assembly.</summary>
    [UnconditionalSuppressMessage("Trimming", "IL2026", Justification = "What was removed stays unknown.")]
    private void AddToldLocked(Type shown)
    {
        if (_asked.Add(shown.Assembly))
        {
            foreach (Type type in LoadedTypesOf(shown.Assembly))
            {
                if (type.Name.StartsWith("<>z__", StringComparison.Ordinal))
                {
                    AddNamesLocked(type);
                }
            }
        }

        foreach (JsonDerivedTypeAttribute derived in shown.GetCustomAttributes<JsonDerivedTypeAttribute>(inherit: false))
        {
            AddLocked(derived.DerivedType);
        }

        foreach (KnownTypeAttribute derived in shown.GetCustomAttributes<KnownTypeAttribute>(inherit: false))
        {
            if (derived.Type is { } type)
            {
                AddLocked(type);
            }
        }
    }

    /// <summary>The types of an assembly, but for those that build on an assembly which is not there.</summary>
    [RequiresUnreferencedCode("The types of an assembly may have been removed.")]
    private static IEnumerable<Type> LoadedTypesOf(Assembly assembly)
    {
        try
        {
            return assembly.GetTypes();
        }
        catch (ReflectionTypeLoadException some)
        {
            return some.Types.OfType<Type>();
        }
    }

    private void AddNamesLocked(Type type)
    {
        if (type.IsGenericType && !type.IsGenericTypeDefinition)
        {
            AddNamesLocked(type.GetGenericTypeDefinition());
        }

        _byName[TypeName.Of(type, asDefinition: type.IsGenericTypeDefinition)] = type;
        if (!type.IsConstructedGenericType)
        {
            foreach (string former in TypeName.FormerOf(type))
            {
                _ = _byName.TryAdd(former, type);
            }
        }
    }
}
