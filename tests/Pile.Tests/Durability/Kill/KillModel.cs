using System.Collections.Generic;
using System.Linq;
using Pile.Tests.Model;

namespace Pile.Tests.Durability.Kill;

/// <summary>What a directory may hold, by what its children acknowledged. A call that returned happened between its two messages;
/// one that a kill cut short happened, or did not.</summary>
internal sealed class KillModel
{
    private readonly Dictionary<long, List<Change>> _changes = [];
    private readonly Dictionary<PilePointer, long> _issued = [];
    private Dictionary<long, KillMessage> _held = [];
    private long _clock;

    /// <summary>What the last look found, by id.</summary>
    internal IReadOnlyDictionary<long, KillMessage> Held => _held;

    /// <summary>Pointers of objects that are gone for good.</summary>
    internal HashSet<PilePointer> Dead { get; } = [];

    /// <summary>Calls that were acknowledged, in all.</summary>
    internal long Acknowledged { get; private set; }

    /// <summary>Calls that a kill cut short, in all.</summary>
    internal long CutShort { get; private set; }

    /// <summary>Batches that a kill cut short, in all.</summary>
    internal long BatchesCutShort { get; private set; }

    /// <summary>The greatest version that was ever begun.</summary>
    internal int LastVersion { get; private set; }

    /// <summary>Notes what a child said.</summary>
    internal void Note(in KillMessage message)
    {
        _clock++;
        if (!_changes.TryGetValue(message.Id, out List<Change>? changes))
        {
            _changes[message.Id] = changes = [];
        }

        if (message.Word == KillWord.Begun)
        {
            LastVersion = int.Max(LastVersion, message.Version);
            changes.Add(new Change(message, _clock));
            return;
        }

        int version = message.Version;
        Change change = changes.First(change => change.Message.Version == version);
        Acknowledged++;
        change.Ended = _clock;
        change.IsRefused = message.Word == KillWord.Gone;
        if (message.Call == KillCall.Put)
        {
            ModelMismatchException.Unless(_issued.TryAdd(message.Pointer, message.Id), "pointer issued twice", $"{message.Pointer} for object {message.Id}, before for {_issued[message.Pointer]}");
            change.Message = message;
        }
    }

    /// <summary>Compares what a look found with what the directory may hold, and takes it for what it holds from now on.</summary>
    internal void Settle(Dictionary<long, KillMessage> found)
    {
        foreach ((long id, KillMessage message) in found)
        {
            ModelMismatchException.Unless(_held.ContainsKey(id) || _changes.ContainsKey(id), "invented", $"{message.Pointer} holds object {id} version {message.Version}, which does not exist");
        }

        foreach (long id in _held.Keys.Union(_changes.Keys))
        {
            SettleOne(id, found.TryGetValue(id, out KillMessage message) ? message : null);
        }

        SettleBatches(found);
        foreach ((long id, KillMessage message) in found)
        {
            ModelMismatchException.Unless(!Dead.Contains(message.Pointer), "risen", $"{message.Pointer} of object {id} had been gone");
            ModelMismatchException.Unless(_issued.TryAdd(message.Pointer, id) || _issued[message.Pointer] == id, "pointer issued twice", $"{message.Pointer} for objects {id} and {_issued[message.Pointer]}");
        }

        Dead.UnionWith(_issued.Where(issued => !found.ContainsKey(issued.Value)).Select(static issued => issued.Key));
        _changes.Clear();
        _held = found;
    }

    /// <summary>A batch that a kill cut short happened whole, or not at all. Its objects are changed by nobody else.</summary>
    private void SettleBatches(Dictionary<long, KillMessage> found)
    {
        foreach (IGrouping<int, Change> batch in _changes.Values.SelectMany(static changes => changes).Where(static change => change.Message.Batch != 0).GroupBy(static change => change.Message.Batch))
        {
            if (batch.Any(static change => change.Ended == long.MaxValue))
            {
                int happened = batch.Count(change => found.TryGetValue(change.Message.Id, out KillMessage message) ? message.Version == change.Message.Version : change.Message.Call == KillCall.Delete);
                ModelMismatchException.Unless(happened == 0 || happened == batch.Count(), "half a batch", $"{happened} of the {batch.Count()} members of batch {batch.Key} happened");
                BatchesCutShort++;
            }
        }
    }

    private void SettleOne(long id, KillMessage? found)
    {
        List<Change> changes = _changes.GetValueOrDefault(id) ?? [];
        CutShort += changes.Count(static change => change.Ended == long.MaxValue);
        bool wasThere = _held.TryGetValue(id, out KillMessage before);
        Change[] deletes = [.. changes.Where(static change => change.Message.Call == KillCall.Delete && !change.IsRefused)];
        ModelMismatchException.Unless(deletes.Count(static delete => delete.Ended < long.MaxValue) <= 1, "deleted twice", $"object {id}");
        if (found is not { } message)
        {
            bool mayBeMissing = deletes.Length > 0 || (!wasThere && changes[0].Ended == long.MaxValue);
            ModelMismatchException.Unless(mayBeMissing, "lost", $"object {id}: {Tell(before, changes)}");
            return;
        }

        ModelMismatchException.Unless(deletes.All(static delete => delete.Ended == long.MaxValue), "risen", $"object {id} version {message.Version} was deleted: {Tell(before, changes)}");
        PilePointer pointer = wasThere ? before.Pointer : changes[0].Message.Pointer;
        ModelMismatchException.Unless(pointer.IsNull || pointer == message.Pointer, "moved", $"object {id} of {pointer} stands at {message.Pointer}");
        bool isKnown = (wasThere && before.Version == message.Version) || changes.Exists(change => change.Message.Version == message.Version && !change.IsRefused);
        ModelMismatchException.Unless(isKnown, "invented", $"object {id} version {message.Version}: {Tell(before, changes)}");
        Change written = changes.Find(change => change.Message.Version == message.Version) ?? new Change(before, 0) { Ended = 0 };
        ModelMismatchException.Unless(written.Message.Lane == message.Lane, "another lane", $"object {id} version {message.Version} is {message.Lane}: {Tell(before, changes)}");
        bool isOlder = changes.Exists(later => !later.IsRefused && later.Ended < long.MaxValue && later.Begun > written.Ended);
        ModelMismatchException.Unless(!isOlder, "lost", $"object {id} is at version {message.Version}: {Tell(before, changes)}");
    }

    private static string Tell(in KillMessage before, List<Change> changes) =>
        $"before {before.Word} version {before.Version}; " + string.Join(", ", changes.Select(static change => $"{change.Message.Call} {change.Message.Version} {(change.IsRefused ? "refused" : change.Ended == long.MaxValue ? "cut short" : "done")}"));

    private sealed class Change(KillMessage message, long begun)
    {
        internal KillMessage Message { get; set; } = message;

        internal long Begun { get; } = begun;

        internal long Ended { get; set; } = long.MaxValue;

        internal bool IsRefused { get; set; }
    }
}
