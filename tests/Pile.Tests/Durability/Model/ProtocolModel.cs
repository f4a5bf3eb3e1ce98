using System.Collections.Generic;

namespace Pile.Tests.Durability.Model;

/// <summary>The durability protocol of docs/DESIGN.md section 6, in steps that others may come between: whoever can act next is offered,
/// one acts, and what was promised is compared. Not modelled: epochs and pins, large objects, schemas, the wait for the disk inside
/// one sync, damage other than by cuts, but for records below what a close had synced.</summary>
internal sealed class ProtocolModel(Scope scope, Rule? broken = null)
{
    private readonly Steps[] _parts =
    [
        new OpeningSteps(), new WritingSteps(), new CleaningSteps(), new FlushingSteps(), new ClearingSteps(), new ClosingSteps(),
        new CheckpointSteps(), new CountingSteps(), new CrashingSteps(), new DamagingSteps(),
    ];

    private readonly List<Act> _acts = [];

    /// <summary>The sizes.</summary>
    internal Scope Scope => scope;

    /// <summary>A new pile, open.</summary>
    internal World Begin() => new(scope, broken);

    /// <summary>Takes one step, any that the chooser chooses; false when there is none.</summary>
    internal bool Step(World world, Chooser chooser)
    {
        _acts.Clear();
        foreach (Steps part in _parts)
        {
            part.Offer(world, _acts);
        }

        if (_acts.Count == 0)
        {
            return false;
        }

        Act act = _acts[chooser.Choose(_acts.Count)];
        act.Steps.Do(act, world, chooser);
        world.Check();
        return true;
    }
}
