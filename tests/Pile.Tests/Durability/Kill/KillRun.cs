using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Threading.Tasks;
using Pile.Primitives;
using Pile.Tests.Model;

namespace Pile.Tests.Durability.Kill;

/// <summary>One directory, its state growing, through child after child: each is killed, and what it left is looked at twice, by
/// a crawl that stores nothing and by the next child's own open, which must find the very same.</summary>
internal sealed class KillRun(string path, PilePromise promise, int seed, Func<string[], Process> start)
{
    private const int Killed = 128 + 9;

    private readonly Random _random = new(seed);
    private Dictionary<long, KillMessage> _found = [];
    private bool _isVerified;
    private int _child;

    /// <summary>What the directory holds.</summary>
    internal KillModel Model { get; } = new();

    /// <summary>How the children's opens went, by <see cref="PileOpening"/>.</summary>
    internal int[] Openings { get; } = new int[4];

    /// <summary>Runs a child that is killed at a passage of a point, or after it has said so much; checks what it left.</summary>
    /// <param name="point">The point; null to be killed by us.</param>
    /// <param name="passage">The passage, or after how many messages we kill.</param>
    /// <param name="calls">Calls of each of its threads.</param>
    /// <returns>Whether it was killed; else it came to its end and closed the pile.</returns>
    internal bool Next(StopPoint? point, int passage, int calls)
    {
        if (_random.Next(4) == 0)
        {
            DeleteTables();
        }

        var order = new KillOrder(path, promise, (seed * 1000) + _child++, Model.LastVersion + 1, calls, point, passage);
        using Process child = start(order.ToArguments());
        Task<string> errors = child.StandardError.ReadToEndAsync();
        _found = [];
        _isVerified = false;
        bool isClosed = false;
        int said = 0;
        while (KillMessage.TryReceive(child.StandardOutput.BaseStream, out KillMessage message))
        {
            if (++said == passage && point is null)
            {
                child.Kill();
            }

            isClosed |= message.Word == KillWord.Closed;
            Hear(message);
        }

        child.WaitForExit();
        bool isKilled = child.ExitCode == Killed;
        ModelMismatchException.Unless(isKilled || (child.ExitCode == 0 && isClosed), "child", $"{Where(order)} ended with {child.ExitCode}: {errors.Result}");
        Look(order);
        return isKilled;
    }

    /// <summary>Opens the directory to write, closes it in order, and opens it again: all that it held is there both times. Then it
    /// is removed.</summary>
    internal void End()
    {
        for (int opened = 0; opened < 2 && Directory.Exists(path); opened++)
        {
            using ObjectPile pile = ObjectPile.Open(path, KillSession.Options(null));
            RequireSame("the last open", Model.Held, FindAll(pile));
            PileVerifyReport report = pile.Verify();
            ModelMismatchException.Unless(report.IsGood, "verify", string.Join("; ", report.Findings));
        }

        if (Directory.Exists(path))
        {
            Directory.Delete(path, recursive: true);
        }
    }

    /// <summary>Removes the tables, as if they had been lost: the next open has nothing but the log.</summary>
    internal void DeleteTables()
    {
        if (Directory.Exists(path))
        {
            foreach (string table in Directory.GetFiles(path, "table.*"))
            {
                File.Delete(table);
            }
        }
    }

    private void Hear(in KillMessage message)
    {
        switch (message.Word)
        {
            case KillWord.Opened:
                Openings[(int)message.Lane]++;
                break;
            case KillWord.Found:
                ModelMismatchException.Unless(_found.TryAdd(message.Id, message), "doubled", $"object {message.Id} at {message.Pointer}");
                break;
            case KillWord.Verified:
                _isVerified = true;
                RequireSame("a child's open", Model.Held, _found);
                break;
            case KillWord.Begun or KillWord.Done or KillWord.Gone:
                ModelMismatchException.Unless(_isVerified, "child", "it writes before it has looked");
                Model.Note(message);
                break;
        }
    }

    private void Look(KillOrder order)
    {
        if (!File.Exists(Path.Combine(path, "pile.meta")))
        {
            ModelMismatchException.Unless(Model.Held.Count == 0 && Model.Acknowledged == 0, "lost", $"{Where(order)}: the pile is gone");
            return;
        }

        try
        {
            using ObjectPile pile = ObjectPile.Open(path, KillSession.Options(null) with { OpenMode = PileOpenMode.ReadOnly });
            Model.Settle(FindAll(pile));
            foreach (PilePointer dead in Model.Dead)
            {
                ModelMismatchException.Unless(!pile.TryLease(dead, out _), "risen", $"{dead} can be read");
            }

            PileVerifyReport report = pile.Verify();
            ModelMismatchException.Unless(report.IsGood, "verify", string.Join("; ", report.Findings));
        }
        catch (Exception failure) when (failure is ModelMismatchException or PileException or IOException)
        {
            string detector = failure is ModelMismatchException mismatch ? mismatch.Detector : "open";
            throw new ModelMismatchException(detector, $"{Where(order)}: {failure.Message}", failure);
        }
    }

    /// <summary>All objects of a pile, by id.</summary>
    internal static Dictionary<long, KillMessage> FindAll(ObjectPile pile)
    {
        Dictionary<long, KillMessage> found = [];
        foreach (PileItem item in pile.Enumerate())
        {
            (long id, int version, KillLane lane) = KillContent.Read(pile, item);
            var message = new KillMessage(KillWord.Found, default, lane, id, version, item.Pointer);
            ModelMismatchException.Unless(found.TryAdd(id, message), "doubled", $"object {id} at {item.Pointer}");
        }

        return found;
    }

    /// <summary>Compares two looks at the same files.</summary>
    internal static void RequireSame(string who, IReadOnlyDictionary<long, KillMessage> expected, IReadOnlyDictionary<long, KillMessage> found)
    {
        foreach ((long id, KillMessage message) in expected)
        {
            ModelMismatchException.Unless(found.TryGetValue(id, out KillMessage other), "not the same", $"{who} does not find object {id} of {message.Pointer}");
            ModelMismatchException.Unless(message == other, "not the same", $"{who} finds {other}, not {message}");
        }

        ModelMismatchException.Unless(found.Count == expected.Count, "not the same", $"{who} finds {found.Count} objects, not {expected.Count}");
    }

    private string Where(KillOrder order) => $"[seed {seed}, {promise}, child {_child}, {string.Join(' ', order.ToArguments()[3..])}]";
}
