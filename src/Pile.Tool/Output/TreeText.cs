// An object graph as a tree: each object once, with a number where it is met more than once; elsewhere an arrow to that number, which
// says so when it leads back to an object above. By descriptions, so that no type is needed. It goes no deeper than it is asked to.
using System;
using System.Collections.Generic;
using System.Globalization;
using System.Numerics;

namespace Pile.Tool.Output;

/// <summary>Draws trees.</summary>
/// <param name="text">Where to.</param>
/// <param name="depthMax">How deep; deeper objects are named, not opened.</param>
/// <param name="itemsMax">Members and items shown of one object.</param>
internal sealed class TreeText(TextOutput text, int depthMax, int itemsMax)
{
    private const int ValueChars = 200;
    private readonly Dictionary<PileDescription, int> _numbers = new(ReferenceEqualityComparer.Instance);
    private readonly HashSet<PileDescription> _written = new(ReferenceEqualityComparer.Instance);
    private readonly HashSet<PileDescription> _above = new(ReferenceEqualityComparer.Instance);

    /// <summary>Draws an object.</summary>
    internal void Write(PileDescription root)
    {
        Number(root);
        Write("", "", "", root, 0);
    }

    /// <summary>Numbers what is met more than once, in the order of the drawing.</summary>
    private void Number(PileDescription root)
    {
        HashSet<PileDescription> met = new(ReferenceEqualityComparer.Instance);
        Stack<PileDescription> open = new([root]);
        while (open.TryPop(out PileDescription? next))
        {
            if (!IsObject(next))
            {
                continue;
            }

            if (!met.Add(next))
            {
                _ = _numbers.TryAdd(next, _numbers.Count + 1);
                continue;
            }

            for (int index = next.Items.Count - 1; index >= 0; index--)
            {
                open.Push(next.Items[index]);
            }

            for (int index = next.Members.Count - 1; index >= 0; index--)
            {
                open.Push(next.Members[index].Value);
            }
        }
    }

    // As deep as depthMax, which is bounded: no deeper graph reaches the stack's end.
    private void Write(string lead, string below, string name, PileDescription value, int depth)
    {
        if (!IsObject(value))
        {
            text.Cut($"{lead}{name}{Single(value)}");
            return;
        }

        string number = _numbers.TryGetValue(value, out int known) ? string.Create(CultureInfo.InvariantCulture, $" #{known}") : "";
        if (!_written.Add(value))
        {
            text.Cut($"{lead}{name}->{number}{(_above.Contains(value) ? " (cycle)" : "")}");
            return;
        }

        string type = value.TypeName.Length > 0 ? value.TypeName : "(pair)";
        bool isDeep = depth >= depthMax && value.Members.Count + value.Items.Count > 0;
        text.Cut($"{lead}{name}{type}{number}{(value.Items.Count > 0 ? $" [{Amount.Count(value.Items.Count)}]" : "")}{(isDeep ? " ..." : "")}");
        if (isDeep)
        {
            // Not opened here, so that another way to it may be.
            _ = _written.Remove(value);
            return;
        }

        _ = _above.Add(value);
        int shown = 0;
        int all = value.Members.Count + value.Items.Count;
        foreach ((string member, PileDescription child) in value.Members)
        {
            if (shown++ < itemsMax)
            {
                WriteChild(below, $"{member}: ", child, depth, isLast: shown == all);
            }
        }

        foreach (PileDescription item in value.Items)
        {
            if (shown++ < itemsMax)
            {
                WriteChild(below, "", item, depth, isLast: shown == all);
            }
        }

        if (shown > itemsMax)
        {
            text.Cut($"{below}`- and {Amount.Count(shown - itemsMax)} more");
        }

        _ = _above.Remove(value);
    }

    private void WriteChild(string below, string name, PileDescription child, int depth, bool isLast) =>
        Write($"{below}{(isLast ? "`- " : "|- ")}", $"{below}{(isLast ? "   " : "|  ")}", name, child, depth + 1);

    private static bool IsObject(PileDescription value) =>
        !value.IsNull && !IsPointer(value) && (value.Members.Count > 0 || value.Items.Count > 0 || value is { Value: null, TypeName.Length: > 0 });

    /// <summary>A link to another object: shown as it is given to a command line.</summary>
    private static bool IsPointer(PileDescription value) => value is { TypeName: "Pile!Pile.PilePointer", Members: [{ Value.Value: ulong }] };

    private static string Single(PileDescription value) => value.Value switch
    {
        null when IsPointer(value) => PilePointer.FromInt64((long)(ulong)value.Members[0].Value.Value!).ToString(),
        null => "null",
        string letters => letters.Length <= ValueChars ? $"\"{letters}\"" : $"\"{TextOutput.Head(letters, ValueChars)}\"... ({Amount.Count(letters.Length)} chars)",
        byte[] bytes => $"{Amount.Count(bytes.Length)} bytes{(bytes.Length == 0 ? "" : $" {Convert.ToHexStringLower(bytes, 0, int.Min(bytes.Length, 16))}{(bytes.Length > 16 ? ".." : "")}")}",
        Array array => $"{Amount.Count(array.Length)} x {array.GetType().GetElementType()!.FullName}",
        bool flag => flag ? "true" : "false",
        BigInteger => value.ToString(),
        DateTime or DateTimeOffset or DateOnly or TimeOnly => ((IFormattable)value.Value).ToString("O", CultureInfo.InvariantCulture),
        _ => Convert.ToString(value.Value, CultureInfo.InvariantCulture) ?? "",
    };
}
