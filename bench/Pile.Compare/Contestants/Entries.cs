using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;

namespace Pile.Compare.Contestants;

/// <summary>All contestants of this assembly, found by what they implement.</summary>
internal static class Entries
{
    internal const string Ours = "Pile";
    internal const string OurCache = "PileCache";
    internal const string Faster = "FasterKV";
    internal const string MemoryCache = "MemoryCache";
    internal const string Dictionary = "ConcurrentDictionary";

    /// <summary>In the order of the tables.</summary>
    internal static IReadOnlyList<IEntry> All { get; } = [.. Found<IEntry>().OrderBy(entry => entry.Order)];

    /// <summary>One of them.</summary>
    /// <exception cref="ArgumentException">There is none of that name.</exception>
    internal static IEntry Of(string name) => All.FirstOrDefault(entry => entry.Name == name)
        ?? throw new ArgumentException($"There is no contestant '{name}': {string.Join(", ", All.Select(entry => entry.Name))}.");

    /// <summary>Instances of every class that implements an interface.</summary>
    internal static IEnumerable<T> Found<T>() => typeof(Entries).Assembly.GetTypes()
        .Where(type => type is { IsClass: true, IsAbstract: false } && type.IsAssignableTo(typeof(T)))
        .OrderBy(type => type.Name, StringComparer.Ordinal)
        .Select(type => (T)Activator.CreateInstance(type)!);

    /// <summary>The assembly and version that a type comes from.</summary>
    internal static string VersionOf(Type type)
    {
        Assembly assembly = type.Assembly;
        string version = assembly.GetCustomAttribute<AssemblyInformationalVersionAttribute>()?.InformationalVersion ?? assembly.GetName().Version?.ToString() ?? "";
        return $"{assembly.GetName().Name} {version.Split('+')[0]}";
    }
}
