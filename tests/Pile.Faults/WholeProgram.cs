using System;

namespace Pile.Faults;

/// <summary>A program whose objects another one stores, or it itself: as one that takes itself for compiled whole ahead of time it can read none of them.</summary>
internal static class WholeProgram
{
    /// <summary>Stores the objects, or reads each of them twice, as the first that is asked for its type, and says what it got.</summary>
    internal static int Run(string directory, bool isWriting)
    {
        using ObjectPile pile = ObjectPile.Open(directory);
        if (isWriting)
        {
            pile.Roots.Set("class", pile.Put(new Order { Number = 7, Name = "tea" }));
            pile.Roots.Set("record", pile.Put(new Person("Ann", 30)));
            pile.Roots.Set("struct", pile.Put(new Line { Article = "tea", Count = 3 }));
            pile.Roots.Set("taken", pile.Put(new Taken { Number = 41 }));
            pile.Roots.Set("text", pile.Put("tea"));
            pile.Commit();
            return 0;
        }

        for (int time = 0; time < 2; time++)
        {
            Say("class", () => pile.Get<Order>(PointerOf(pile, "class")));
            Say("record", () => pile.Get<Person>(PointerOf(pile, "record")));
            Say("struct", () => pile.Get<Line>(PointerOf(pile, "struct")));
            Say("taken", () => pile.TryTake(PointerOf(pile, "taken"), out Taken? _));
            Say("text", () => pile.Get<string>(PointerOf(pile, "text")));
        }

        Console.WriteLine($"objects {pile.GetStatistics().Objects}");
        return 0;
    }

    private static PilePointer PointerOf(ObjectPile pile, string root) => pile.Roots.TryGet(root, out PilePointer pointer) ? pointer : throw new InvalidOperationException(root);

    private static void Say(string root, Func<object?> read)
    {
        string said;
        try
        {
            said = $"{read()}";
        }
        catch (PileException failure)
        {
            said = failure.GetType().Name;
        }

        Console.WriteLine($"{root} {said}");
    }

    private sealed class Order
    {
        public int Number { get; set; }

        public string? Name { get; set; }
    }

    private sealed record Person(string Name, int Age);

    private struct Line
    {
        public string Article;
        public int Count;
    }

    private sealed class Taken
    {
        public int Number { get; set; }
    }
}
