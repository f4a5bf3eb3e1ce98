namespace PackageGraph.Reporting;

/// <summary>A line of the table.</summary>
/// <param name="Name">What was measured.</param>
/// <param name="Objects">Of the ordinary objects.</param>
/// <param name="Pile">Of the pile.</param>
/// <param name="Times">How many times the objects' figure is the pile's: above 1 the pile is better.</param>
internal sealed record SummaryRow(string Name, string Objects, string Pile, string Times);
