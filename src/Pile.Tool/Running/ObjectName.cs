// How an object is named on the command line: by its pointer, or by a root that leads to it.
// What reads as a pointer is one; `root:` before a name says that it is a root's all the same.
using System;
using System.Globalization;

namespace Pile.Tool.Running;

/// <summary>Objects by name.</summary>
internal static class ObjectName
{
    private const string RootPrefix = "root:";

    /// <summary>What an argument for an object says of itself.</summary>
    internal const string Description = "A pointer, as in 42.7@200, or the name of a root; root:NAME where a root's name reads as a pointer.";

    /// <summary>The pointer of a name.</summary>
    /// <exception cref="ToolException">There is no root of that name, or none any more.</exception>
    internal static PilePointer Find(ObjectPile pile, string name)
    {
        bool isRoot = name.StartsWith(RootPrefix, StringComparison.Ordinal);
        if (!isRoot && PilePointer.TryParse(name, CultureInfo.InvariantCulture, out PilePointer pointer))
        {
            return pointer;
        }

        string root = isRoot ? name[RootPrefix.Length..] : name;
        if (pile.Roots.TryGet(root, out pointer))
        {
            return pointer;
        }

        string nothing = $"'{root}' is neither a pointer, as in 42.7@{pile.Tag}, nor the name of a root.";
        throw pile.RecoveryReport().Damages.Count == 0
            ? new ToolException(ExitCode.NotFound, $"{nothing} 'pile ls' lists the roots.")
            : new ToolException(ExitCode.Damaged, $"{nothing} The pile is damaged, and roots may be lost: 'pile ls' lists those that are left, 'pile verify' the damage.");
    }
}
