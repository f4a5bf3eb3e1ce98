using System;
using Pile;
using Pile.Tests.Model;
using (var run = new ModelRun(int.Parse(args[0], null), args[1] == "1"))
{
    new System.Threading.Thread(() => { while (true) { System.Threading.Thread.Sleep(1000); Console.WriteLine(run.Pile.GetStatistics()); } }) { IsBackground = true }.Start();
    run.Run(200_000);
    run.Empty();
    Console.WriteLine(run.Coverage);
}
