using Xunit;

namespace Pile.Tests.Durability;

/// <summary>The pile's own records take ordinary slots: one that a removed root has left may be a schema's next.</summary>
public sealed class InternalSlotTests
{
    private sealed record First(int Number, string Name);

    private sealed record Second(string Name);

    private sealed record Third(First First, Second Second);

    [Fact]
    public void ASlotThatWasARootsAndIsASchemasNowIsRestoredOnce()
    {
        using var directory = new TemporaryDirectory();
        PileOptions options = PileOptions.Tiny with { MemoryLimitBytes = null, Promise = PilePromise.ProcessSafe };
        PilePointer pointer;
        using (ObjectPile pile = ObjectPile.Open(directory.Path, options))
        {
            PilePointer target = pile.Put("target");
            for (int turn = 0; turn < 80; turn++)
            {
                // More than the slots that a writer has at hand: the next ones have been roots', and are listed.
                pile.Roots.Set($"root {turn}", target);
                Assert.True(pile.Roots.Remove($"root {turn}"));
            }

            pointer = pile.Put(new Third(new First(1, "one"), new Second("two")));
            pile.Roots.Set("kept", pointer);
        }

        using (ObjectPile pile = ObjectPile.Open(directory.Path, options))
        {
            Assert.True(pile.Roots.TryGet("kept", out PilePointer kept));
            Assert.Equal(pointer, kept);
            Assert.Equal(new Third(new First(1, "one"), new Second("two")), pile.Get<Third>(kept));
            Assert.True(pile.Verify().IsGood);
        }
    }
}
