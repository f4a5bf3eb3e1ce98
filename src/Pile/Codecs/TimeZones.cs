// Time zones as text: those of the system by their id, others as the framework writes them. It can't read back what it writes of most zones
// of the system (offsets with seconds, from before there was standard time), so that what is written is tried first.
// Ids are looked up in a directory of files: whatever is no id is refused before that.
using System;
using System.Runtime.Serialization;

namespace Pile.Codecs;

/// <summary>Text of time zones.</summary>
internal static class TimeZones
{
    /// <summary>The text of a zone.</summary>
    internal static string TextOf(TimeZoneInfo zone)
    {
        if (IsId(zone.Id) && TimeZoneInfo.TryFindSystemTimeZoneById(zone.Id, out TimeZoneInfo? known) && IsSame(known, zone))
        {
            return zone.Id;
        }

        try
        {
            string text = zone.ToSerializedString();
            if (IsSame(TimeZoneInfo.FromSerializedString(text), zone))
            {
                return text;
            }
        }
        catch (Exception failure) when (failure is SerializationException or ArgumentException or InvalidTimeZoneException)
        {
            // What can't be read back is refused.
        }

        throw Refuse.AType(typeof(TimeZoneInfo), zone, "the framework can't read back its own text of it");
    }

    /// <summary>The zone of a text: the framework's own has semicolons, an id has none.</summary>
    internal static TimeZoneInfo Of(string text) => text.Contains(';', StringComparison.Ordinal) ? TimeZoneInfo.FromSerializedString(text)
        : IsId(text) && TimeZoneInfo.TryFindSystemTimeZoneById(text, out TimeZoneInfo? known) ? known
        : throw new TimeZoneNotFoundException("this machine has no time zone of that id.");

    private static bool IsSame(TimeZoneInfo left, TimeZoneInfo right) => left.Equals(right) && left.DisplayName == right.DisplayName
        && left.StandardName == right.StandardName && left.DaylightName == right.DaylightName;

    private static bool IsId(string text)
    {
        bool isId = text.Length is > 0 and < 128 && char.IsAsciiLetter(text[0]) && !text.Contains("..", StringComparison.Ordinal);
        foreach (char letter in text)
        {
            isId &= char.IsAsciiLetterOrDigit(letter) || letter is '/' or '_' or '-' or '+' or '.' or ' ' or '(' or ')';
        }

        return isId;
    }
}
