using System.Collections.Generic;

namespace Pile.Tests.Fuzz;

/// <summary>What hostile input is given to.</summary>
internal abstract class FuzzTarget
{
    /// <summary>How many good inputs there are to begin with.</summary>
    internal abstract int Origins { get; }

    /// <summary>Makes the input, gives it to whoever reads such, and notes what came of it.</summary>
    /// <param name="input">The case.</param>
    /// <param name="shapes">Receives outcomes without their numbers: who meets a new one is worth another change.</param>
    /// <exception cref="FuzzFoundException">Something came of it that may not.</exception>
    internal abstract void Try(FuzzCase input, ICollection<string> shapes);
}
