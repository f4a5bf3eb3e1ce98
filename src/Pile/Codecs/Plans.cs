// The plan of each exact type, made once a type and process. Kept by the type itself, so that the types of a collectible
// load context are not held.
using System;
using System.Runtime.CompilerServices;

namespace Pile.Codecs;

/// <summary>All plans.</summary>
internal static class Plans
{
    private static readonly ConditionalWeakTable<Type, Plan> _all = [];

    /// <summary>The plan of objects of a type. Internal classes of the framework share that of the type they stand for.</summary>
    internal static Plan Of(Type type) => _all.TryGetValue(type, out Plan? known) ? known : _all.GetValue(type, Make);

    /// <summary>The plan that reads what was stored of a type, which may be one that is written otherwise today, or not at all.</summary>
    internal static Plan ToRead(Type type) => FSharpClasses.WereKept(type) ? Treatments.MakeKept(type) : Of(type);

    /// <summary>The plan of type T.</summary>
    internal static Plan Of<T>() => Holder<T>.Plan;

    /// <summary>The plan of type T, where its objects have one of their own.</summary>
    internal static Plan<T>? Typed<T>() => Holder<T>.Typed;

    private static Plan Make(Type type)
    {
        Type canonical = Treatments.Canonical(type);
        return canonical == type ? Treatments.MakePlan(type) : Of(canonical);
    }

    private static class Holder<T>
    {
        internal static readonly Plan Plan = _all.GetValue(typeof(T), Make);
        internal static readonly Plan<T>? Typed = Plan as Plan<T>;
    }
}
