// What is measured: requests of a kind by so many clients at once, each of one or more entries.
// Keys are drawn at random, by seeds that are the same in each run.
namespace Pile.Tool.Measuring;

/// <summary>A workload.</summary>
/// <param name="Clients">Requests under way at once.</param>
/// <param name="Requests">Requests of each step.</param>
/// <param name="Pipeline">Entries of a request.</param>
/// <param name="Keys">Different keys.</param>
/// <param name="ReadPercent">Of the mixed step, how many requests read.</param>
internal sealed record Workload(int Clients, int Requests, int Pipeline, int Keys, int ReadPercent);
