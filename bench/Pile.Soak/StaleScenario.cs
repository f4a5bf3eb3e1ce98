using System;

namespace Pile.Soak;

/// <summary>Stale and forged pointers while slots are used again: none may ever read, change or delete another object.</summary>
internal static class StaleScenario
{
    private const int Live = 10_000;
    private const int Remembered = 1 << 16;

    internal static string[] Cases { get; } = ["stale and forged"];

    internal static void Run(string name, SoakOptions options, Action<SoakRow> report)
    {
        long tries = options.Scaled(100_000_000);
        var random = new Random(3);
        using ObjectPile pile = ObjectPile.Create();
        using ObjectPile other = ObjectPile.Create();
        var pointers = new PilePointer[Live];
        var stale = new PilePointer[Remembered];
        for (int index = 0; index < Live; index++)
        {
            pointers[index] = pile.PutValue((long)index);
        }

        long staleTried = 0;
        long forgedTried = 0;
        long honest = 0;
        long wrong = 0;
        int dead = 0;
        for (long step = 0; step < tries; step++)
        {
            if (step % 4 == 0)
            {
                int index = random.Next(Live);
                stale[dead++ % Remembered] = pointers[index];
                wrong += pile.Delete(pointers[index]) ? 0 : 1;
                pointers[index] = pile.PutValue((long)index);
            }

            if (step % 2 == 0)
            {
                PilePointer pointer = stale[random.Next(int.Min(dead, Remembered))];
                staleTried++;
                wrong += pile.TryLease(pointer, out PileLease lease) || pile.Delete(pointer) ? 1 : 0;
                lease.Dispose();
                continue;
            }

            // Any 64 bits, mostly of slots that exist; one that happens to be a live object's own pointer is no forgery.
            var forged = PilePointer.FromInt64((random.NextInt64() & ~0xFFFFFFFF) | (uint)random.Next(4 * Live));
            forgedTried++;
            if (pile.TryLease(forged, out PileLease found))
            {
                bool isHonest = found.Length == 8 && pointers[found.Read<long>()] == forged;
                found.Dispose();
                honest += isHonest ? 1 : 0;
                wrong += isHonest ? 0 : 1;
            }

            wrong += other.TryLease(pointers[random.Next(Live)], out PileLease foreign) ? 1 : 0;
            foreign.Dispose();
        }

        report(new SoakRow()
            .Add("case", name)
            .Add("stale tried", staleTried)
            .Add("forged tried", forgedTried)
            .Add("forged by chance right", honest)
            .Add("wrong", wrong)
            .Add("slots issued", pile.GetStatistics().SlotsIssued)
            .Add("findings", pile.Verify().Findings.Count));
    }
}
