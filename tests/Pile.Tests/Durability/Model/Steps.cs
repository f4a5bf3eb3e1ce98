using System.Collections.Generic;

namespace Pile.Tests.Durability.Model;

/// <summary>One of those who act: offers what it could do next, and does it when it is its turn.</summary>
internal abstract class Steps
{
    internal abstract void Offer(World world, List<Act> acts);

    internal abstract void Do(Act act, World world, Chooser chooser);
}
