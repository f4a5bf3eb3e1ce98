// One setting as configuration names it: its form, and what it changes. The readers turn text into values, whatever the
// culture; anything else than the form is a false, never a guess.
using System;
using System.Globalization;
using System.Linq;

namespace Pile.Hosting;

/// <summary>A setting in configuration.</summary>
/// <typeparam name="TOptions">The options that it is one of.</typeparam>
/// <param name="Name">Its key below the section: the name of the option.</param>
/// <param name="Form">What its value looks like, for people.</param>
/// <param name="JsonTypes">What its value may be in JSON.</param>
/// <param name="Values">The values that there are, or none for any.</param>
/// <param name="TryApply">Reads the value into the options; false when it has another form.</param>
internal sealed record PileSetting<TOptions>(string Name, string Form, string[] JsonTypes, string[] Values, Func<TOptions, string, bool> TryApply)
{
    internal static PileSetting<TOptions> Text(string name, string form, Action<TOptions, string> apply) => new(name, form, ["string"], [], (options, text) =>
    {
        apply(options, text);
        return true;
    });

    internal static PileSetting<TOptions> Switch(string name, Action<TOptions, bool> apply) => new(name, "true or false", ["boolean"], [], (options, text) =>
    {
        bool isRead = bool.TryParse(text, out bool value);
        if (isRead)
        {
            apply(options, value);
        }

        return isRead;
    });

    internal static PileSetting<TOptions> Whole(string name, string form, Action<TOptions, long> apply) => new(name, form, ["integer"], [], (options, text) =>
    {
        bool isRead = long.TryParse(text, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out long value);
        if (isRead)
        {
            apply(options, value);
        }

        return isRead;
    });

    internal static PileSetting<TOptions> Size(string name, Action<TOptions, long> apply) => new(name, SizeText.Form, ["integer", "string"], [], (options, text) =>
    {
        bool isRead = SizeText.TryRead(text, out long bytes);
        if (isRead)
        {
            apply(options, bytes);
        }

        return isRead;
    });

    internal static PileSetting<TOptions> Ratio(string name, Action<TOptions, double> apply) => new(name, "a number such as 1.2", ["number"], [], (options, text) =>
    {
        bool isRead = double.TryParse(text, NumberStyles.AllowLeadingSign | NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture, out double value);
        if (isRead)
        {
            apply(options, value);
        }

        return isRead;
    });

    // With a colon, because a bare "5" would be five days.
    internal static PileSetting<TOptions> Duration(string name, Action<TOptions, TimeSpan> apply) => new(name, "a duration such as 00:00:05 or 00:00:00.250", ["string"], [], (options, text) =>
    {
        bool isRead = TimeSpan.TryParseExact(text, "c", CultureInfo.InvariantCulture, out TimeSpan value) && text.Contains(':', StringComparison.Ordinal);
        if (isRead)
        {
            apply(options, value);
        }

        return isRead;
    });

    internal static PileSetting<TOptions> Choice<TValue>(string name, Action<TOptions, TValue> apply)
        where TValue : struct, Enum => new(name, $"one of {string.Join(", ", Enum.GetNames<TValue>())}", ["string"], Enum.GetNames<TValue>(), (options, text) =>
        {
            string? known = Enum.GetNames<TValue>().FirstOrDefault(value => string.Equals(value, text, StringComparison.OrdinalIgnoreCase));
            if (known is not null)
            {
                apply(options, Enum.Parse<TValue>(known));
            }

            return known is not null;
        });
}
