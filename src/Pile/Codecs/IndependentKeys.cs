// Keys whose hash code and equality need nothing of what they hold: objects that are equal to themselves alone, texts, numbers in boxes.
// A collection of them is filled as soon as they are read, whole or not, and nothing that they lead to is looked at.
using System;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Threading;

namespace Pile.Codecs;

/// <summary>Tells such keys by their types.</summary>
internal static class IndependentKeys
{
    private const BindingFlags Instance = BindingFlags.Instance | BindingFlags.Public;
    private static readonly object _yes = new();
    private static readonly object _no = new();

    /// <summary>By type; types may be unloaded.</summary>
    private static readonly ConditionalWeakTable<Type, object> _answers = [];

    /// <summary>Whether a key, compared by default, is one.</summary>
    internal static bool Contain(object? key) => key is null or string || ReferenceEquals(_answers.GetValue(key.GetType(), static type => IsOne(type) ? _yes : _no), _yes);

    /// <summary>Whether objects of a class have a hash code of their own, and not one by reference.</summary>
    internal static bool HaveHashCodes(Type type) => type.GetMethod(nameof(GetHashCode), Instance, [])!.DeclaringType != typeof(object);

    /// <summary>Whether objects of a class are equal to themselves alone and have nothing that is stored: all of them are the same bytes.</summary>
    internal static bool HoldNothing(Type type) => type == typeof(Lock) || type == typeof(object)
        || (!AheadOfTime.IsWhole && Plans.Of(type) is { Kind: PlanKind.Fields, Members.Count: 0 } && AreEqualByReference(type));

    private static bool AreEqualByReference(Type type) => type.GetMethod(nameof(Equals), Instance, [typeof(object)])!.DeclaringType == typeof(object);

    private static bool IsOne(Type type) => type.IsValueType
        ? type.IsEnum || LeafFormatter.All.ContainsKey(type)
        : !HaveHashCodes(type) && AreEqualByReference(type)
            && !Array.Exists(type.GetInterfaces(), static each => each.IsGenericType && each.GetGenericTypeDefinition() == typeof(IEquatable<>));
}
