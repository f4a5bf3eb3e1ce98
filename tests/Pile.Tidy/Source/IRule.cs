using System.Collections.Generic;

namespace Pile.Tidy.Source;

/// <summary>One rule of the house, with the planted sources that prove that it can fail.</summary>
internal interface IRule
{
    /// <summary>The name that a failure shows and CONTRIBUTING.md explains.</summary>
    string Name { get; }

    /// <summary>Sources that break the rule, and sources that look like it and do not.</summary>
    IReadOnlyList<Planted> Plantings { get; }

    /// <summary>Returns every violation in <paramref name="file"/>; <paramref name="all"/> are the files it stands among.</summary>
    IEnumerable<Violation> Check(SourceFile file, IReadOnlyList<SourceFile> all);
}
