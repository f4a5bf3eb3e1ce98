// What a framework constructor objects to, when it is given stored parts, is damage of the stored value.
// Only the exceptions that say "these arguments"; whatever else goes wrong is passed on.
using System;
using System.Runtime.Serialization;
using System.Text.Json;

namespace Pile.Codecs;

/// <summary>Turns what a constructor objects to into damage of the stored value.</summary>
internal static class Damage
{
    internal static T Guard<T>(LeafRead<T> read, ref GraphReader reader)
    {
        try
        {
            return read(ref reader);
        }
        catch (Exception failure) when (failure is ArgumentException or FormatException or InvalidOperationException or NotSupportedException
            or OverflowException or TimeZoneNotFoundException or InvalidTimeZoneException or JsonException or SerializationException)
        {
            throw new PileCorruptedException($"A stored value is damaged: a {TypeName.Display(typeof(T))} can't be made of its parts: {failure.Message}");
        }
    }
}
