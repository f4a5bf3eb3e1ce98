// What somebody who only hears the events of a table believes is in it. Checks the order within each key as it goes.
// It keeps versions, not values.
using System;
using System.Collections.Generic;
using System.Linq;
using Pile.Tests.Model;

namespace Pile.Cache.Tests.Model;

/// <param name="hasTag">Whether the entries of a key have a tag.</param>
internal sealed class EventMirror(Func<int, string, bool> hasTag)
{
    private long _number;

    internal Dictionary<int, PileEntryVersion> Entries { get; } = [];

    internal Dictionary<PileEventKinds, int> Counts { get; } = [];

    internal void Take(PileTableEvent<int> told)
    {
        Counts[told.Kind] = Counts.GetValueOrDefault(told.Kind) + 1;
        Unless(told.Position.Number == ++_number, told, $"was to be number {_number}");
        bool isThere = Entries.TryGetValue(told.Key, out PileEntryVersion there);
        switch (told.Kind)
        {
            case PileEventKinds.Inserted:
                Unless(!isThere, told, $"though version {there.Number} had not gone");
                Entries[told.Key] = told.Version;
                break;
            case PileEventKinds.Replaced:
                Unless(!isThere || there == told.Former, told, $"though the entry was version {there.Number}");
                Entries[told.Key] = told.Version;
                break;
            case PileEventKinds.Removed or PileEventKinds.Expired or PileEventKinds.Evicted:
                Unless(!isThere || there == told.Version, told, $"though the entry was version {there.Number}");
                _ = Entries.Remove(told.Key);
                break;
            case PileEventKinds.TagRemoved:
                foreach (int key in Entries.Keys.Where(key => told.Tag is null || hasTag(key, told.Tag)).ToArray())
                {
                    _ = Entries.Remove(key);
                }

                break;
            case PileEventKinds.Cleared:
                Entries.Clear();
                break;
            default:
                Unless(isGood: false, told, "was not to be");
                break;
        }
    }

    private static void Unless(bool isGood, PileTableEvent<int> told, string what) => ModelMismatchException.Unless(isGood, "event", $"{told} {what}");
}
