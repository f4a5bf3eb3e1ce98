// One setting as configuration names it: its form, and what it changes. The readers turn text into values, whatever the
// culture; anything else than the form is a false, never a guess.
using System;
using System.Globalization;
using System.Linq;

namespace Pile.Hosting;

/// <summary>A setting of a pile in configuration.</summary>
/// <param name="Name">Its key below the pile's section: the name of the option.</param>
/// <param name="Form">What its value looks like, for people.</param>
/// <param name="JsonType">What its value is in JSON.</param>
/// <param name="Values">The values that there are, or none for any.</param>
/// <param name="TryApply">Reads the value into the options; false when it has another form.</param>
internal sealed record PileSetting(string Name, string Form, string JsonType, string[] Values, Func<PileHostOptions, string, bool> TryApply)
{
    internal static PileSetting Text(string name, string form, Action<PileHostOptions, string> apply) => new(name, form, "string", [], (options, text) =>
    {
        apply(options, text);
        return true;
    });

    internal static PileSetting Switch(string name, Action<PileHostOptions, bool> apply) => new(name, "true or false", "boolean", [], (options, text) =>
    {
        bool isRead = bool.TryParse(text, out bool value);
        if (isRead)
        {
            apply(options, value);
        }

        return isRead;
    });

    internal static PileSetting Whole(string name, string form, Func<PileOptions, long, PileOptions> apply) => new(name, form, "integer", [], (options, text) =>
    {
        bool isRead = long.TryParse(text, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out long value);
        if (isRead)
        {
            options.Pile = apply(options.Pile, value);
        }

        return isRead;
    });

    internal static PileSetting Ratio(string name, Func<PileOptions, double, PileOptions> apply) => new(name, "a number such as 1.2", "number", [], (options, text) =>
    {
        bool isRead = double.TryParse(text, NumberStyles.AllowLeadingSign | NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture, out double value);
        if (isRead)
        {
            options.Pile = apply(options.Pile, value);
        }

        return isRead;
    });

    // With a colon, because a bare "5" would be five days.
    internal static PileSetting Duration(string name, Func<PileOptions, TimeSpan, PileOptions> apply) => new(name, "a duration such as 00:00:05 or 00:00:00.250", "string", [], (options, text) =>
    {
        bool isRead = TimeSpan.TryParseExact(text, "c", CultureInfo.InvariantCulture, out TimeSpan value) && text.Contains(':', StringComparison.Ordinal);
        if (isRead)
        {
            options.Pile = apply(options.Pile, value);
        }

        return isRead;
    });

    internal static PileSetting Choice<TValue>(string name, Func<PileOptions, TValue, PileOptions> apply)
        where TValue : struct, Enum => new(name, $"one of {string.Join(", ", Enum.GetNames<TValue>())}", "string", Enum.GetNames<TValue>(), (options, text) =>
        {
            string? known = Enum.GetNames<TValue>().FirstOrDefault(value => string.Equals(value, text, StringComparison.OrdinalIgnoreCase));
            if (known is not null)
            {
                options.Pile = apply(options.Pile, Enum.Parse<TValue>(known));
            }

            return known is not null;
        });
}
