using System.Collections.Generic;

namespace Pile.Tests.Durability.Model;

/// <summary>Damage while nobody has the pile open: a record that a close had synced, and that a flush since covers, is no record any more.
/// Other damage is left out: nothing that a later open has to go by need say what stood there.</summary>
internal sealed class DamagingSteps : Steps
{
    internal override void Offer(World world, List<Act> acts)
    {
        for (int at = 0; at < world.Scope.Segments * world.Scope.Places && world.Phase == Phase.Down && world.Has(Budget.Damage); at++)
        {
            if (IsCovered(world, SpotAt(world, at)))
            {
                acts.Add(new Act(this, at));
            }
        }
    }

    internal override void Do(Act act, World world, Chooser chooser)
    {
        Spot spot = SpotAt(world, act.What);
        world.Spend(Budget.Damage);
        world.Files[spot].Store(0);
        world.Files[spot].Sync();
        world.Files.IsDamaged = true;
        world.Story?.Add($"the record at {spot} is damaged");
    }

    private static Spot SpotAt(World world, int at) => new(at / world.Scope.Places, at % world.Scope.Places);

    /// <summary>Whether a record stands there for certain, of a segment that the close had sealed and that was not cleaned since.</summary>
    private static bool IsCovered(World world, Spot spot)
    {
        Cell record = world.Files[spot];
        Cell row = world.Files.Rows[spot.Segment];
        return record.Possible.Length == 1 && record.Possible[0] != 0 && LogRecord.SequenceOf(record.Possible[0]) < world.Promises.ProvenBelow
            && row.Possible.Length == 1 && RowWord.Unpack(row.Possible[0]) is { Life: SegmentLife.Sealed } sealedRow
            && sealedRow.Sequence == LogRecord.SequenceOf(record.Possible[0]);
    }
}
