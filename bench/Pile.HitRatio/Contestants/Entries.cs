using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;

namespace Pile.HitRatio.Contestants;

/// <summary>All contestants of this assembly, found by what they implement.</summary>
internal static class Entries
{
    /// <summary>The one that all are compared with.</summary>
    internal const string S3Fifo = "s3-fifo";

    /// <summary>The other one.</summary>
    internal const string Lru = "lru";

    /// <summary>The best of this one and S3-FIFO is what a cache may reach for.</summary>
    internal const string TwoQueues = "2q";

    /// <summary>In the order of the tables.</summary>
    internal static IReadOnlyList<IEntry> All { get; } =
    [
        .. typeof(Entries).Assembly.GetTypes()
            .Where(static type => type is { IsClass: true, IsAbstract: false } && type.IsAssignableTo(typeof(IEntry)))
            .Select(static type => (IEntry)Activator.CreateInstance(type, nonPublic: true)!)
            .OrderBy(static entry => entry.Order)
            .ThenBy(static entry => entry.Name, StringComparer.Ordinal),
    ];

    /// <summary>One of them.</summary>
    internal static IEntry Of(string name) => All.First(entry => entry.Name == name);

    /// <summary>The assembly and version that a type comes from.</summary>
    internal static string VersionOf(Type type)
    {
        Assembly assembly = type.Assembly;
        string version = assembly.GetCustomAttribute<AssemblyInformationalVersionAttribute>()?.InformationalVersion ?? assembly.GetName().Version?.ToString() ?? "";
        return $"{assembly.GetName().Name} {version.Split('+')[0]}";
    }
}
